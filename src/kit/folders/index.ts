export { type ListedFile, listFiles, openInside, TooManyFiles } from './list-files.ts';
export { isIgnored } from './match-pattern.ts';
export { type Known, type Plan, planSync } from './plan-sync.ts';

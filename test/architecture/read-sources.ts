import { globSync, readFileSync } from 'node:fs';
import type { Sources } from './check-architecture.ts';

const PATTERNS = [
  'src/**/*.ts',
  '{packages,console}/**/*.{ts,tsx}',
  'console/src/**/*.css',
  '{test,quality,guide,examples,migrations}/**/*.ts',
];

export function readSources(root: string): Sources {
  const paths = globSync(PATTERNS, { cwd: root, exclude: ['**/node_modules', '**/dist'] });
  const sorted = paths.map((path) => path.replaceAll('\\', '/')).sort();
  return new Map(sorted.map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')]));
}

import { globSync, readFileSync } from 'node:fs';
import type { Sources } from './check-architecture.ts';

export function readSources(root: string): Sources {
  const patterns = ['src/**/*.ts', 'packages/*/src/**/*.ts', 'console/src/**/*.{ts,tsx,css}'];
  const paths = globSync(patterns, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return new Map(paths.sort().map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')]));
}

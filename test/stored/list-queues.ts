import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = new URL('../../src/', import.meta.url).pathname;

/** The names of all queues of background work, as the sources have them: a new one is never left out. */
export function listQueues(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(join(SOURCES, file), 'utf8').matchAll(/QUEUE = '([a-z-]+)'/g)].map(([, name = '']) => name),
  );
  return [...new Set(names)].sort();
}

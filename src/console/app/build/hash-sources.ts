import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const SOURCES = ['src/**/*', 'public/**/*', 'index.html', 'vite.config.ts', 'tsconfig.json', '../package-lock.json'];

/** Identifies sources and packages by content: a checkout resets the times of files. */
export async function hashSources(sources: string): Promise<string> {
  const files: string[] = [];
  for await (const entry of glob(SOURCES, { cwd: sources, withFileTypes: true })) {
    if (entry.isFile() && !entry.name.includes('.test.')) files.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    hash.update(`${relative(sources, file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 32);
}

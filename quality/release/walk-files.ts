import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every file, link and directory below a directory, by its relative path, in the order of the names. */
export function* walkFiles(dir: string, below = ''): Generator<{ path: string; kind: 'file' | 'dir' | 'link' }> {
  const entries = readdirSync(join(dir, below), { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isSymbolicLink()) yield { path, kind: 'link' };
    else if (entry.isDirectory()) {
      yield { path, kind: 'dir' };
      yield* walkFiles(dir, path);
    } else yield { path, kind: 'file' };
  }
}

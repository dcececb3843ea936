import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isIgnored } from './match-pattern.ts';

export type ListedFile = { path: string; bytes: number; modifiedMs: number };

export class TooManyFiles extends Error {
  readonly filesMax: number;
  constructor(filesMax: number) {
    super(`The folder has more than ${filesMax} files.`);
    this.filesMax = filesMax;
  }
}

/** The files below a folder, sorted, with `/` between the parts of a path. Links and hidden names are left out. */
export async function listFiles(
  root: string,
  { ignore, filesMax }: { ignore: readonly string[]; filesMax: number },
): Promise<ListedFile[]> {
  const found: ListedFile[] = [];
  const walk = async (prefix: string): Promise<void> => {
    const entries = await readdir(join(root, prefix), { withFileTypes: true });
    entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const entry of entries) {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.name.startsWith('.') || isIgnored(path, ignore)) continue;
      if (entry.isDirectory()) await walk(path);
      if (!entry.isFile()) continue;
      if (found.length >= filesMax) throw new TooManyFiles(filesMax);
      const { size, mtimeMs } = await lstat(join(root, path));
      found.push({ path, bytes: size, modifiedMs: mtimeMs });
    }
  };
  await walk('');
  return found;
}

/** Opens a file that was listed; undefined if it is no longer a file inside the root. The caller closes it. */
export async function openInside(root: string, path: string): Promise<FileHandle | undefined> {
  const top = await realpath(root);
  const file = await open(join(top, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => undefined);
  if (!file) return undefined;
  // A folder on the way may have become a link since it was listed.
  const folder = await realpath(dirname(join(top, path))).catch(() => '');
  const isInside = folder === top || folder.startsWith(top + sep);
  if (isInside && (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

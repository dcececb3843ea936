import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { FileContent, Files } from './kind.ts';

export const FILE_BYTES_MAX = 1024 * 1024;
const FILES_MAX = 200;

/** A name that came from somebody else's server must not lead out of the folder, nor into git's own. */
function isSafe(path: string): boolean {
  return (
    !/[\\:\p{Cc}]/u.test(path) &&
    path.split('/').every((part) => !['', '.', '..'].includes(part) && !/^\.git$/i.test(part))
  );
}

/** Writes into a folder that is ours alone: every file is new, so no link can lead a write elsewhere. */
export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, { bytes, isExecutable }] of files) {
    if (!isSafe(path)) throw new CommandFailure(`'${path}' is refused: it would lead out of the folder.`);
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    const mode = isExecutable ? 0o755 : 0o644;
    const file = await open(target, 'wx', mode);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    // The mode of open is cut by the umask, and git would see that as a change.
    await chmod(target, mode);
  }
}

/** Every file below a folder, by path. Links are refused: they would read what lies outside. */
export async function listFiles(root: string, skip: (name: string) => boolean = () => false): Promise<string[]> {
  const found: string[] = [];
  const walk = async (prefix: string): Promise<void> => {
    for (const entry of await entriesOf(join(root, prefix))) {
      if (skip(entry.name)) continue;
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isFolder) await walk(path);
      else found.push(path);
      if (found.length > FILES_MAX + 1) throw new CommandFailure(`${root} has more than ${FILES_MAX} files.`);
    }
  };
  await walk('');
  return found;
}

/** What lies directly in a folder, in a fixed order; nothing if it is not there. Links are refused, or only told of. */
export async function entriesOf(folder: string): Promise<{ name: string; isFolder: boolean }[]>;
export async function entriesOf(folder: string, links: 'tell'): Promise<{ name: string; isFolder: boolean | 'link' }[]>;
export async function entriesOf(
  folder: string,
  links?: 'tell',
): Promise<{ name: string; isFolder: boolean | 'link' }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessMissing);
  return (entries ?? [])
    .map((entry) => {
      const path = join(folder, entry.name);
      const isLink = entry.isSymbolicLink();
      if (links === 'tell') return { name: entry.name, isFolder: isLink ? ('link' as const) : entry.isDirectory() };
      if (isLink) throw new CommandFailure(`${path} is a symbolic link; put the file itself there.`);
      if (!entry.isFile() && !entry.isDirectory()) throw new CommandFailure(`${path} is neither a file nor a folder.`);
      return { name: entry.name, isFolder: entry.isDirectory() };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Undefined if there is nothing. */
export async function kindOfPath(path: string): Promise<'file' | 'folder' | 'link' | undefined> {
  const found = await lstat(path).catch(unlessMissing);
  if (!found) return undefined;
  return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'file';
}

/** One file, up to the size that the registry takes. */
export async function readOneFile(path: string): Promise<FileContent> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    if (codeOf(error) === 'ELOOP') throw new CommandFailure(`${path} is a symbolic link; put the file itself there.`);
    throw error;
  });
  try {
    const { size, mode } = await file.stat();
    if (size > FILE_BYTES_MAX) throw new CommandFailure(`${path} has ${size} bytes; a file has at most 1 MiB.`);
    return { bytes: await file.readFile(), isExecutable: (mode & 0o100) !== 0 };
  } finally {
    await file.close();
  }
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

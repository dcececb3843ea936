import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../kit/base/error-code.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { FileContent, Files } from './kind.ts';

export const FILE_BYTES_MAX = 1024 * 1024;
const FILES_MAX = 200;

/** A name from a server must not lead out of the folder or into .git. */
function isSafe(path: string): boolean {
  return (
    !/[\\:\p{Cc}]/u.test(path) &&
    path.split('/').every((part) => !['', '.', '..'].includes(part) && !/^\.git$/i.test(part))
  );
}

/** Creates new files only, so that no link can redirect a write. */
export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, { bytes, isExecutable }] of files) {
    if (!isSafe(path)) throw new CommandFailure(`'${path}' is not a safe file name: it would lead out of the folder.`);
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    const mode = isExecutable ? 0o755 : 0o644;
    const file = await open(target, 'wx', mode);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    // The umask restricts the mode of open, which git would see as a change.
    await chmod(target, mode);
  }
}

/** Every file below a folder, by relative path. Rejects links, which could point outside. */
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

/** The sorted entries of a folder, none if it does not exist. Rejects links, or reports them. */
export async function entriesOf(folder: string): Promise<{ name: string; isFolder: boolean }[]>;
export async function entriesOf(
  folder: string,
  links: 'report',
): Promise<{ name: string; isFolder: boolean | 'link' }[]>;
export async function entriesOf(
  folder: string,
  links?: 'report',
): Promise<{ name: string; isFolder: boolean | 'link' }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessMissing);
  return (entries ?? [])
    .map((entry) => {
      const path = join(folder, entry.name);
      const isLink = entry.isSymbolicLink();
      if (links === 'report') return { name: entry.name, isFolder: isLink ? ('link' as const) : entry.isDirectory() };
      if (isLink) throw new CommandFailure(`${path} is a symbolic link; replace it with the file itself.`);
      if (!entry.isFile() && !entry.isDirectory()) throw new CommandFailure(`${path} is neither a file nor a folder.`);
      return { name: entry.name, isFolder: entry.isDirectory() };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export async function kindOfPath(path: string): Promise<'file' | 'folder' | 'link' | undefined> {
  const found = await lstat(path).catch(unlessMissing);
  if (!found) return undefined;
  return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'file';
}

/** A file of up to the registry's maximum size, or another one. */
export async function readOneFile(path: string, bytesMax = FILE_BYTES_MAX): Promise<FileContent> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    if (codeOf(error) === 'ELOOP')
      throw new CommandFailure(`${path} is a symbolic link; replace it with the file itself.`);
    throw error;
  });
  try {
    const { size, mode } = await file.stat();
    if (size > bytesMax)
      throw new CommandFailure(`${path} has ${size} bytes; the limit is ${bytesMax / 1024 ** 2} MiB.`);
    return { bytes: await file.readFile(), isExecutable: (mode & 0o100) !== 0 };
  } finally {
    await file.close();
  }
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}

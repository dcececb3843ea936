import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const CHUNK_BYTES = 1024 * 1024;

export type Digest = { bytes: number; sha256: string };

/** Copies, digests and syncs in one pass; memory stays flat however large the file is. */
export async function copyFileDurably(source: string, target: string): Promise<Digest> {
  await using from = await open(source, 'r');
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await using to = await open(target, 'wx', 0o600);
  // Unlike `write`, `writeFile` goes on after a short write, and it starts where the last one ended.
  const digest = await read(from, (chunk) => to.writeFile(chunk));
  await to.sync();
  return digest;
}

export async function digestFile(path: string): Promise<Digest> {
  await using file = await open(path, 'r');
  // Awaited here, or the file would be closed under the reader.
  return await read(file);
}

async function read(file: FileHandle, each?: (chunk: Uint8Array) => Promise<void>): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, bytes);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    bytes += bytesRead;
    hash.update(chunk);
    await each?.(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}

export async function writeFileDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

/** Of a file its content, of a directory the names in it. */
export async function syncPath(path: string, kind: 'file' | 'directory'): Promise<void> {
  // Windows cannot open a directory, and NTFS journals its names by itself; a file it syncs only where it may write.
  if (process.platform === 'win32' && kind === 'directory') return;
  await using handle = await open(path, kind === 'file' ? 'r+' : 'r');
  await handle.sync();
}

/** Makes every name in a tree durable: the sync of a file does not cover the entry that points to it. */
export async function syncDirectories(root: string): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncDirectories(join(root, entry.name));
  }
  await syncPath(root, 'directory');
}

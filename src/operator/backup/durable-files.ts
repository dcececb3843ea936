import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const CHUNK_BYTES = 1024 * 1024;

export type Digest = { bytes: number; sha256: string };

/** Copies, hashes and syncs in one pass, with constant memory. */
export async function copyFileDurably(source: string, target: string): Promise<Digest> {
  await using from = await open(source, 'r');
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await using to = await open(target, 'wx', 0o600);
  // Unlike `write`, `writeFile` continues after a short write, and appends to the last one.
  const digest = await readChunks(from, (chunk) => to.writeFile(chunk));
  await to.sync();
  return digest;
}

/** The same for content that comes in chunks. */
export async function writeChunksDurably(source: AsyncIterable<Uint8Array>, target: string): Promise<Digest> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await using to = await open(target, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    hash.update(chunk);
    await to.writeFile(chunk);
  }
  await to.sync();
  return { bytes, sha256: hash.digest('hex') };
}

export async function digestFile(path: string): Promise<Digest> {
  await using file = await open(path, 'r');
  // Awaited here, so that the file is not closed during the read.
  return await readChunks(file);
}

async function readChunks(file: FileHandle, each?: (chunk: Uint8Array) => Promise<void>): Promise<Digest> {
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

/** Syncs the content of a file, or the entries of a directory. */
export async function syncPath(path: string, kind: 'file' | 'directory'): Promise<void> {
  // Windows cannot open a directory, whose entries NTFS journals, and syncs only files opened for writing.
  if (process.platform === 'win32' && kind === 'directory') return;
  await using handle = await open(path, kind === 'file' ? 'r+' : 'r');
  await handle.sync();
}

/** Makes all directory entries of a tree durable; the sync of a file does not cover its own entry. */
export async function syncDirectories(root: string): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncDirectories(join(root, entry.name));
  }
  await syncPath(root, 'directory');
}

import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobTooLarge } from '../errors.ts';
import type { BlobSource, StoredBlob } from '../write-content.ts';

/** Content whose digest is known, before it goes to the store. */
export type Spool = StoredBlob & {
  read(start: number, bytes: number): Promise<Uint8Array>;
  close(): Promise<void>;
};

/** What is larger waits on disk, so that memory stays flat. */
const MEMORY_BYTES_MAX = 1024 * 1024;

/**
 * Reads and digests a source. A store's object needs its name first, and the name is the digest. The file has no name
 * from the beginning, so that a killed process leaves nothing.
 */
export async function spool(dir: string, source: BlobSource, bytesMax: number): Promise<Spool> {
  const hash = createHash('sha256');
  let held: Uint8Array[] = [];
  let bytes = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of source instanceof Uint8Array ? [source] : source) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) throw new BlobTooLarge(bytesMax);
      hash.update(chunk);
      held.push(chunk);
      if (!file && (bytes <= MEMORY_BYTES_MAX || source instanceof Uint8Array)) continue;
      file ??= await openNameless(dir);
      for (const one of held) await file.writeFile(one);
      held = [];
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  const stored = { sha256: hash.digest('hex'), bytes };
  if (file) return { ...stored, ...readFrom(file) };
  const content = source instanceof Uint8Array ? source : Buffer.concat(held);
  return {
    ...stored,
    read: async (start, length) => content.subarray(start, start + length),
    close: async () => undefined,
  };
}

async function openNameless(dir: string): Promise<FileHandle> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, randomBytes(16).toString('hex'));
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

function readFrom(file: FileHandle): Pick<Spool, 'read' | 'close'> {
  return {
    async read(start, length) {
      const buffer = Buffer.allocUnsafe(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file.read(buffer, done, length - done, start + done);
        if (bytesRead === 0) return buffer.subarray(0, done);
        done += bytesRead;
      }
      return buffer;
    },
    close: () => file.close(),
  };
}

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { BlobTooLarge } from './errors.ts';

export type BlobSource = Uint8Array | AsyncIterable<Uint8Array>;

export type StoredBlob = { sha256: string; bytes: number };

/**
 * Writes and digests in one pass. The next chunk is read only when the last one is written, so memory stays flat.
 */
export async function writeContent(file: FileHandle, source: BlobSource, bytesMax: number): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of source instanceof Uint8Array ? [source] : source) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new BlobTooLarge(bytesMax);
    hash.update(chunk);
    // Unlike `write`, `writeFile` goes on after a short write, and it starts where the last one ended.
    await file.writeFile(chunk);
  }
  return { sha256: hash.digest('hex'), bytes };
}

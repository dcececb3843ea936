import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { SourceFailed } from './errors.ts';

const BLOCK = 512;
const REGULAR_TYPES = ['0', '\0'];

/** The content of one entry of a gzipped tar file (what npm packs), in one pass. Names up to 255 characters. */
export async function* readTgzEntry(file: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 1 << 20 });
  const piping = pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), gunzip, { signal });
  piping.catch(() => undefined);
  let header: Buffer = Buffer.alloc(0);
  /** Of the entry we are in: how much content and how much padding up to the next block is still to come. */
  let content = 0;
  let padding = 0;
  let isWanted = false;
  try {
    for await (let chunk of gunzip as AsyncIterable<Buffer>) {
      while (chunk.length > 0) {
        if (content > 0) {
          const piece = chunk.subarray(0, content);
          content -= piece.length;
          chunk = chunk.subarray(piece.length);
          if (isWanted) yield piece;
          continue;
        }
        if (isWanted) return;
        if (padding > 0) {
          const skipped = Math.min(padding, chunk.length);
          padding -= skipped;
          chunk = chunk.subarray(skipped);
          continue;
        }
        const missing = BLOCK - header.length;
        header = Buffer.concat([header, chunk.subarray(0, missing)]);
        chunk = chunk.subarray(missing);
        if (header.length < BLOCK) continue;
        content = sizeOf(header);
        padding = (BLOCK - (content % BLOCK)) % BLOCK;
        isWanted = nameOf(header) === path && REGULAR_TYPES.includes(header.toString('latin1', 156, 157));
        header = Buffer.alloc(0);
      }
      if (isWanted && content === 0) return;
    }
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new SourceFailed('the package is not a whole tgz file', { cause });
  } finally {
    gunzip.destroy();
  }
  throw new SourceFailed(isWanted ? 'the package is not a whole tgz file' : `the package does not hold ${path}`);
}

function nameOf(header: Buffer): string {
  const name = textOf(header, 0, 100);
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? textOf(header, 345, 500) : '';
  return prefix ? `${prefix}/${name}` : name;
}

function sizeOf(header: Buffer): number {
  const size = Number.parseInt(textOf(header, 124, 136).trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('a tar header without a size');
  return size;
}

function textOf(header: Buffer, start: number, end: number): string {
  const text = header.toString('utf8', start, end);
  const zero = text.indexOf('\0');
  return zero === -1 ? text : text.slice(0, zero);
}

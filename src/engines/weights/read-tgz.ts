import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { SourceFailed } from './errors.ts';

const BLOCK = 512;
const REGULAR_TYPES = ['0', '\0'];

type TgzEntry = { path: string; isFile: boolean; isDirectory: boolean; bytes: number };

/** What comes next in the archive: the head of an entry, or a piece of its content. */
type TgzPart = { entry: TgzEntry; piece?: never } | { piece: Buffer; entry?: never };

/** The content of one entry of a gzipped tar file (what npm packs), in one pass. Names up to 255 characters. */
export async function* readTgzEntry(file: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  let missing: number | undefined;
  for await (const { entry, piece } of walkTgz(file, signal)) {
    if (entry) missing = entry.isFile && entry.path === path ? entry.bytes : undefined;
    else if (missing !== undefined) {
      missing -= piece.length;
      yield piece;
    }
    if (missing === 0) return;
  }
  if (missing === undefined) throw new SourceFailed(`the package does not hold ${path}`);
}

/** The whole archive in one pass; fails where it ends in the middle of an entry. */
export async function* walkTgz(file: string, signal: AbortSignal): AsyncGenerator<TgzPart> {
  const gunzip = createGunzip({ chunkSize: 1 << 20 });
  const piping = pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), gunzip, { signal });
  piping.catch(() => undefined);
  let header: Buffer = Buffer.alloc(0);
  /** Of the entry we are in: how much content and how much padding up to the next block is still to come. */
  let content = 0;
  let padding = 0;
  const broken = (cause?: unknown) => new SourceFailed('the package is not a whole tgz file', { cause });
  try {
    for await (let chunk of gunzip as AsyncIterable<Buffer>) {
      while (chunk.length > 0) {
        if (content > 0) {
          const piece = chunk.subarray(0, content);
          content -= piece.length;
          chunk = chunk.subarray(piece.length);
          yield { piece };
          continue;
        }
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
        // Blocks of zeros end the archive.
        if (header[0] !== 0) yield { entry: entryOf(header, content) };
        header = Buffer.alloc(0);
      }
    }
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw broken(cause);
  } finally {
    gunzip.destroy();
  }
  if (content > 0 || header.length > 0) throw broken();
}

function entryOf(header: Buffer, bytes: number): TgzEntry {
  const type = header.toString('latin1', 156, 157);
  return { path: nameOf(header), isFile: REGULAR_TYPES.includes(type), isDirectory: type === '5', bytes };
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

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const BLOCK = 512;

/** `source` is a path on this machine or the bytes themselves. */
export type TarEntry = { path: string; mode: number; uid?: number; gid?: number } & (
  | { kind: 'file'; source: string | Buffer }
  | { kind: 'dir' }
  | { kind: 'link'; target: string }
);

export type WrittenTar = { bytes: number; sha256: string; plainSha256: string; plainBytes: number };

/** Writes entries as tar.gz. The same entries always give the same bytes: names are sorted, times and owners are fixed. */
export async function writeTarGz(file: string, entries: TarEntry[], mtime: number): Promise<WrittenTar> {
  const [plain, packed] = [createHash('sha256'), createHash('sha256')];
  let [plainBytes, bytes] = [0, 0];
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      plain.update(chunk);
      plainBytes += chunk.length;
      yield chunk;
    }
  };
  const hash = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      packed.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const sorted = entries.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  await pipeline(Readable.from(tarOf(sorted, mtime)), count, createGzip({ level: 6 }), hash, createWriteStream(file));
  return { bytes, plainBytes, sha256: packed.digest('hex'), plainSha256: plain.digest('hex') };
}

/** The bytes of a tar, in the order of the entries. */
export async function* tarOf(entries: TarEntry[], mtime: number): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    const path = entry.kind === 'dir' ? `${entry.path}/` : entry.path;
    const size = entry.kind === 'file' ? sizeOf(entry.source) : 0;
    const target = entry.kind === 'link' ? entry.target : '';
    const long = { ...(!splitPath(path) && { path }), ...(target.length > 100 && { linkpath: target }) };
    if (Object.keys(long).length > 0) {
      const records = Buffer.from(Object.entries(long).map(paxRecord).join(''));
      yield header({
        path: 'PaxHeader',
        type: 'x',
        mode: 0o644,
        size: records.length,
        mtime,
        uid: 0,
        gid: 0,
        target: '',
      });
      yield padded(records);
    }
    const type = entry.kind === 'dir' ? '5' : entry.kind === 'link' ? '2' : '0';
    const { mode, uid = 0, gid = 0 } = entry;
    yield header({ path, type, mode, size, mtime, uid, gid, target: target.slice(0, 100) });
    if (entry.kind !== 'file') continue;
    if (typeof entry.source === 'string') yield* contentOf(entry.source, size);
    else yield padded(entry.source);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function sizeOf(source: string | Buffer): number {
  return typeof source === 'string' ? statSync(source).size : source.length;
}

async function* contentOf(file: string, size: number): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    read += (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  if (read !== size) throw new Error(`${file} changed while it was read.`);
  if (size % BLOCK) yield Buffer.alloc(BLOCK - (size % BLOCK));
}

function padded(bytes: Buffer): Buffer {
  const rest = bytes.length % BLOCK;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(BLOCK - rest)]);
}

type Header = {
  path: string;
  type: string;
  mode: number;
  size: number;
  mtime: number;
  uid: number;
  gid: number;
  target: string;
};

function header({ path, type, mode, size, mtime, uid, gid, target }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  // A path that does not fit is in the record before; this one is for programs that ignore records.
  const { name, prefix } = splitPath(path) ?? { name: Buffer.from(path).subarray(0, 100).toString(), prefix: '' };
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(name, 0);
  block.write(octal(mode, 8), 100);
  block.write(octal(uid, 8), 108);
  block.write(octal(gid, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(mtime, 12), 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(target, 157);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** The two fields that a path has in a header; undefined if it does not fit. */
function splitPath(path: string): { name: string; prefix: string } | undefined {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100 && name !== '') return { name, prefix };
  }
  return undefined;
}

/** A record says its own length, which has digits of its own. */
function paxRecord([key, value]: [string, string]): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

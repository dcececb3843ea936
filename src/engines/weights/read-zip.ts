import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { SourceFailed } from './errors.ts';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const ZIP64 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;

type ZipEntry = { method: number; crc: number; packedBytes: number; bytes: number; headerOffset: number };

/** The content of one entry of a zip file (a Python wheel is one), checked against its length and CRC. Not zip64. */
export async function* readZipEntry(file: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const handle = await open(file);
  let entry: ZipEntry;
  let start: number;
  try {
    entry = await findEntry(handle, path);
    // The local header repeats the name with extra fields of its own, so only it knows where the data begins.
    const header = await readAt(handle, entry.headerOffset, 30);
    start = entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  } finally {
    await handle.close();
  }
  let crc = 0;
  let bytes = 0;
  for await (const chunk of unpack(file, entry, start, signal)) {
    crc = crc32(chunk, crc);
    bytes += chunk.length;
    yield chunk;
  }
  if (bytes !== entry.bytes || crc !== entry.crc) throw new SourceFailed(`the package is damaged at ${path}`);
}

async function* unpack(file: string, entry: ZipEntry, start: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  if (entry.packedBytes === 0) return;
  const packed = createReadStream(file, { start, end: start + entry.packedBytes - 1, highWaterMark: 1 << 20, signal });
  if (entry.method === STORED) {
    yield* packed as AsyncIterable<Buffer>;
    return;
  }
  const inflate = createInflateRaw({ chunkSize: 1 << 20 });
  const piping = pipeline(packed, inflate, { signal });
  piping.catch(() => undefined);
  yield* inflate as AsyncIterable<Buffer>;
  await piping;
}

async function findEntry(handle: FileHandle, path: string): Promise<ZipEntry> {
  const { size } = await handle.stat();
  const tailBytes = Math.min(size, END_BYTES + COMMENT_BYTES_MAX);
  const tail = await readAt(handle, size - tailBytes, tailBytes);
  const end = findEnd(tail);
  const directory = await readAt(handle, end.readUInt32LE(16), end.readUInt32LE(12));
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === ENTRY_SIGNATURE; ) {
    const nameBytes = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes);
    if (name === path) return readEntry(directory, at, path);
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new SourceFailed(`the package does not hold ${path}`);
}

function readEntry(directory: Buffer, at: number, path: string): ZipEntry {
  const entry = {
    method: directory.readUInt16LE(at + 10),
    crc: directory.readUInt32LE(at + 16),
    packedBytes: directory.readUInt32LE(at + 20),
    bytes: directory.readUInt32LE(at + 24),
    headerOffset: directory.readUInt32LE(at + 42),
  };
  const isEncrypted = (directory.readUInt16LE(at + 8) & 1) === 1;
  const isReadable = !isEncrypted && (entry.method === STORED || entry.method === DEFLATED);
  if (!isReadable || entry.packedBytes === ZIP64 || entry.headerOffset === ZIP64)
    throw new SourceFailed(`the package holds ${path} in a form that cannot be read here`);
  return entry;
}

function findEnd(tail: Buffer): Buffer {
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) === END_SIGNATURE) return tail.subarray(at);
  }
  throw new SourceFailed('the package is not a whole zip file');
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new SourceFailed('the package is not a whole zip file');
  return buffer;
}

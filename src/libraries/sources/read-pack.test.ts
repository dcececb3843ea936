import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { readPack } from './read-pack.ts';

const BLOB = 3;
const OFFSET_DELTA = 6;
const LIMIT = 10_000;

function headOf(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

function offsetOf(distance: number): Buffer {
  const bytes = [distance & 127];
  for (let rest = distance >> 7; rest > 0; rest >>= 7) bytes.unshift(128 | (--rest & 127));
  return Buffer.from(bytes);
}

function varint(value: number): Buffer {
  const bytes = [value & 127];
  for (let rest = value >> 7; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

/** A blob, and changes to it that insert so many bytes, each against the one before it. */
function packOf(inserted: number[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(inserted.length + 1, 8);
  const entries = [Buffer.concat([headOf(BLOB, 4), deflateSync('wind')])];
  let source = 4;
  for (const count of inserted) {
    const inserts = Array.from({ length: count / 100 }, () => Buffer.concat([Buffer.from([100]), Buffer.alloc(100)]));
    const delta = Buffer.concat([varint(source), varint(count), ...inserts]);
    source = count;
    const distance = entries.at(-1)?.length ?? 0;
    entries.push(Buffer.concat([headOf(OFFSET_DELTA, delta.length), offsetOf(distance), deflateSync(delta)]));
  }
  return Buffer.concat([head, ...entries, Buffer.alloc(20)]);
}

function read(pack: Buffer): Promise<unknown> {
  const dir = mkdtempSync(join(tmpdir(), 'pack-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, 'pack'), pack);
  const limits = { filesMax: 10, fileBytesMax: LIMIT, bytesMax: 10 * LIMIT };
  return readPack({ pack: join(dir, 'pack'), commit: '1'.repeat(40), dir, below: '', ignore: [], ...limits });
}

it('a chain of changes that are large together is refused, however few bytes it came in', async () => {
  const pack = packOf([9000, 9000, 9000]);
  expect(pack.length).toBeLessThan(500);
  await expect(read(pack)).rejects.toThrow('A chain of changes is too large.');
  // What is not too large is only without a commit.
  await expect(read(packOf([9000, 9000]))).rejects.toThrow('the commit is missing');
});

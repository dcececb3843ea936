import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tgzOf, zipOf } from './archives-for-tests.ts';
import { readTgzEntry } from './read-tgz.ts';
import { readZipEntry } from './read-zip.ts';

const dir = mkdtempSync(join(tmpdir(), 'tramontane-archives-'));
afterAll(() => rmSync(dir, { recursive: true }));
const never = new AbortController().signal;
const big = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * i) >> 7));
const small = Buffer.from('small');
const entries = [
  { path: 'a/first.txt', content: small },
  { path: 'a/model.bin', content: big },
  { path: 'a/empty', content: Buffer.alloc(0) },
];

let count = 0;
function kept(content: Buffer): string {
  const file = join(dir, `${count++}.archive`);
  writeFileSync(file, content);
  return file;
}
async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

describe.each([
  ['zip, deflated', zipOf(entries), readZipEntry],
  ['zip, stored', zipOf(entries.map((entry) => ({ ...entry, isStored: true }))), readZipEntry],
  ['zip with a comment', zipOf(entries, 'PK no end'), readZipEntry],
  ['tgz', tgzOf(entries), readTgzEntry],
] as const)('%s', (_name, archive, read) => {
  it.each(entries)('gives $path whole', async ({ path, content }) => {
    expect((await collect(read(kept(archive), path, never))).equals(content)).toBe(true);
  });

  it('says which entry is missing', async () => {
    await expect(collect(read(kept(archive), 'a/model', never))).rejects.toThrow('does not hold a/model');
  });

  it('never gives out half of a cut file as whole', async () => {
    const cut = kept(archive.subarray(0, archive.length / 2));
    await expect(collect(read(cut, 'a/model.bin', never))).rejects.toThrow('not a whole');
  });

  it('ends when the signal is aborted', async () => {
    const controller = new AbortController();
    const chunks = read(kept(archive), 'a/model.bin', controller.signal);
    await chunks.next();
    controller.abort();
    await expect(collect(chunks)).rejects.toThrow('aborted');
  });
});

describe('a zip file', () => {
  it('with flipped bytes is called damaged', async () => {
    const archive = zipOf([{ path: 'model.bin', content: big, isStored: true }]);
    archive.writeUInt8(archive.readUInt8(1_000_000) ^ 1, 1_000_000);
    await expect(collect(readZipEntry(kept(archive), 'model.bin', never))).rejects.toThrow('damaged');
  });

  it('with an encrypted entry is refused', async () => {
    const archive = zipOf([{ path: 'model.bin', content: small, flags: 1 }]);
    await expect(collect(readZipEntry(kept(archive), 'model.bin', never))).rejects.toThrow('cannot be read');
  });

  it('that is something else is refused', async () => {
    await expect(collect(readZipEntry(kept(small), 'model.bin', never))).rejects.toThrow('not a whole zip');
  });
});

describe('a tgz file', () => {
  it('is read with names longer than 100 characters', async () => {
    const path = `package/${'deep/'.repeat(25)}model.part`;
    const archive = tgzOf([{ path, content: big }]);
    expect((await collect(readTgzEntry(kept(archive), path, never))).equals(big)).toBe(true);
  });

  it('that is something else is refused', async () => {
    await expect(collect(readTgzEntry(kept(small), 'x', never))).rejects.toThrow('not a whole tgz');
  });
});

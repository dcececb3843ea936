import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Json } from '../../../packages/workflows/src/protocol.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { createBlobs } from '../../kit/blobs/index.ts';
import { contentOf, createPayloads, INLINE_BYTES_MAX } from './pack-payloads.ts';
import { createSeal } from './seal.ts';

const open = (...keys: Buffer[]) => {
  const referred: string[] = [];
  const blobs = createBlobs({ dir: temporaryDir() });
  const refer = async (_workspace: string, sha256: string) => void referred.push(sha256);
  return { blobs, referred, payloads: createPayloads({ blobs, seal: createSeal(keys), refer }) };
};
const big = { text: 'é'.repeat(INLINE_BYTES_MAX) };
const values: Json[] = [
  null,
  true,
  0,
  'text',
  '',
  [],
  {},
  { $payload: 'blob', sha256: 'x' },
  [{ $payload: 1 }],
  big,
  'x'.repeat(300_000),
];

it('gives back what it was given, whatever it looks like, sealed or not', async () => {
  for (const { payloads } of [open(), open(randomBytes(32))])
    for (const value of values) expect(await payloads.unpack('w', await payloads.pack('w', value))).toEqual(value);
});

it('leaves small values as they are, and keeps large ones apart by their content', async () => {
  const { payloads, referred, blobs } = open();
  expect(payloads.pack('w', { a: 1 })).toEqual({ a: 1 });
  const packed = await payloads.pack('w', big);
  expect(JSON.stringify(packed).length).toBeLessThan(200);
  expect(await payloads.pack('w', big)).toEqual(packed);
  expect(contentOf(packed)).toBe(referred[0]);
  expect(Buffer.from((await blobs.read(referred[0] ?? '')) ?? []).toString()).toBe(JSON.stringify(big));
});

it('shows nothing of a sealed value, and opens it only in its workspace', async () => {
  const { payloads, blobs, referred } = open(randomBytes(32));
  const packed = await payloads.pack('w', { secret: 'hunter2' });
  expect(JSON.stringify(packed)).not.toContain('hunter2');
  expect(() => payloads.unpack('other', packed)).toThrow();
  const apart = await payloads.pack('w', { secret: 'hunter2'.repeat(100_000) });
  expect(Buffer.from((await blobs.read(referred[0] ?? '')) ?? []).includes('hunter2')).toBe(false);
  await expect(async () => payloads.unpack('other', apart)).rejects.toThrow();
});

it('opens with an old key what it sealed, and seals with the new one', async () => {
  const [old, next] = [randomBytes(32), randomBytes(32)];
  const packed = await open(old).payloads.pack('w', 'before');
  const changed = open(next, old).payloads;
  expect(await changed.unpack('w', packed)).toBe('before');
  expect(() => open(next).payloads.unpack('w', packed)).toThrow('encryption_keys');
  expect(await open(next).payloads.unpack('w', await changed.pack('w', 'after'))).toBe('after');
});

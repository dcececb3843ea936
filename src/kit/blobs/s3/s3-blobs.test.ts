import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDir } from '../../../../test/support/databases.ts';
import { rounds } from '../../../../test/support/rounds.ts';
import { hasStore, startStore, type TestStore } from '../../../../test/support/s3.ts';
import { StorageFailure } from '../../base/storage-failure.ts';
import { type Blobs, BlobTooLarge, createS3Blobs, createS3Client } from '../index.ts';
import { openStoreProxy, type StoreProxy } from './store-proxy-for-tests.ts';

const digestOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const bytesOf = (text: string) => Buffer.from(text);
const HELLO = digestOf(bytesOf('hello'));
const MIB = 1024 * 1024;
/** The store's times have whole seconds, so this is surely later than any write. */
const later = () => new Date(Date.now() + 10_000);
const nobody = async () => new Set<string>();

async function* chunks(...texts: string[]) {
  for (const text of texts) yield bytesOf(text);
}
async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
const textOf = async (stream: AsyncIterable<Uint8Array>) => Buffer.concat(await collect(stream)).toString();

describe.runIf(hasStore)('blobs in an S3-compatible store', () => {
  let store: TestStore;
  let proxy: StoreProxy;
  let blobs: Blobs;
  let spoolDir: string;
  beforeAll(async () => {
    store = await startStore();
    proxy = await openStoreProxy(store.bucket);
  });
  afterAll(async () => {
    proxy?.stop();
    await store?.stop();
  });
  let place = 0;
  beforeEach(() => {
    proxy.fateOf = () => 'pass';
    proxy.asked.length = 0;
    spoolDir = temporaryDir();
    blobs = createS3Blobs(createS3Client({ ...proxy.bucket, prefix: `place-${place++}/` }), 'files', spoolDir, {
      keysPerPage: 5,
    });
  });

  test('keeps any content cut into any chunks, under its digest', async () => {
    const content = fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(content, async (parts) => {
        const whole = Buffer.concat(parts);
        const stored = await blobs.put(
          (async function* () {
            yield* parts;
          })(),
        );
        expect(stored).toEqual({ sha256: digestOf(whole), bytes: whole.length });
        expect(whole.equals((await blobs.read(stored.sha256))!)).toBe(true);
      }),
      { numRuns: rounds(5, 15) },
    );
  });

  test('opens, reads ranges, verifies, lists and removes', async () => {
    await blobs.put(bytesOf('hello'));
    await blobs.put(bytesOf('hello'));
    const { sha256: other } = await blobs.put(bytesOf('other'));
    const blob = (await blobs.open(HELLO))!;
    expect(blob.bytes).toBe(5);
    const ranges = [{}, { start: 1 }, { end: 1 }, { start: 1, end: 3 }, { start: 4, end: 100 }, { start: 5 }];
    const texts = await Promise.all(ranges.map((range) => textOf(blob.stream(range))));
    expect(texts).toEqual(['hello', 'ello', 'he', 'ell', 'o', '']);
    expect(await blobs.verify(HELLO)).toBe(true);
    expect((await collect(blobs.list())).sort()).toEqual([HELLO, other].sort());
    await blobs.remove(HELLO);
    await blobs.remove(HELLO);
    expect(await blobs.open(HELLO)).toBeUndefined();
    expect(await blobs.read(HELLO)).toBeUndefined();
    expect(await blobs.verify(HELLO)).toBe(false);
    expect(await collect(blobs.list())).toEqual([other]);
    await expect(blobs.open('../../secret')).rejects.toThrow(TypeError);
  });

  test('lists more than one page', async () => {
    const names = Array.from({ length: 12 }, (_, i) => digestOf(bytesOf(`blob ${i}`)));
    const client = createS3Client({ ...store.bucket, prefix: `place-${place - 1}/` });
    for (const name of names) {
      const key = `files/${name.slice(0, 2)}/${name.slice(2)}`;
      await (await client.send({ method: 'PUT', key, body: 'x' }))?.body.dump();
    }
    expect((await collect(blobs.list())).sort()).toEqual(names.sort());
    expect(proxy.asked.filter(({ path }) => path.includes('list-type')).length).toBe(3);
  });

  test('sends large content in parts, and goes on after failures on the way', async () => {
    const content = randomBytes(20 * MIB);
    let failures = 0;
    proxy.fateOf = ({ path }) =>
      path.includes('partNumber=2') && failures++ < 2 ? (failures === 1 ? 'refuse' : 'cut-before') : 'pass';
    async function* source() {
      for (let i = 0; i < content.length; i += MIB) yield content.subarray(i, i + MIB);
    }
    const { sha256, bytes } = await blobs.put(source());
    expect({ sha256, bytes }).toEqual({ sha256: digestOf(content), bytes: content.length });
    expect(proxy.asked.filter(({ path }) => path.includes('partNumber')).length).toBe(3 + 2);
    expect(await blobs.verify(sha256)).toBe(true);
    // What waited on disk has no name, so nothing can be left.
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  test('a completed upload whose answer was lost is complete', async () => {
    const content = randomBytes(9 * MIB);
    let lost = 0;
    proxy.fateOf = ({ method, path }) =>
      method === 'POST' && path.includes('uploadId') && lost++ === 0 ? 'lose-answer' : 'pass';
    const { sha256 } = await blobs.put(content);
    expect(lost).toBeGreaterThan(1);
    expect(await blobs.verify(sha256)).toBe(true);
  });

  test('a part that is refused for good leaves neither an object nor an upload', async () => {
    proxy.fateOf = ({ path }) => (path.includes('partNumber=2') ? 'refuse' : 'pass');
    const content = randomBytes(17 * MIB);
    await expect(blobs.put(content)).rejects.toMatchObject({ name: 'StorageFailure', problem: 'unreachable' });
    proxy.fateOf = () => 'pass';
    expect(await blobs.open(digestOf(content))).toBeUndefined();
    const uploads = await createS3Client(store.bucket).send({ method: 'GET', query: { uploads: '' } });
    expect(await uploads!.body.text()).not.toContain('<UploadId>');
  });

  test('a reader goes on where the connection was cut', async () => {
    const content = randomBytes(3 * MIB);
    const { sha256 } = await blobs.put(content);
    let cuts = 0;
    proxy.fateOf = ({ method }) => (method === 'GET' && cuts++ < 2 ? 'cut-answer' : 'pass');
    const blob = (await blobs.open(sha256))!;
    expect(digestOf(Buffer.concat(await collect(blob.stream())))).toBe(sha256);
    expect(cuts).toBe(3);
    proxy.fateOf = ({ method }) => (method === 'GET' ? 'cut-answer' : 'pass');
    await expect(blobs.read(sha256)).rejects.toBeInstanceOf(StorageFailure);
  });

  test('refuses too much, and ends its source', async () => {
    let isEnded = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(MIB);
      } finally {
        isEnded = true;
      }
    }
    await expect(blobs.put(endless(), { bytesMax: 3 * MIB })).rejects.toBeInstanceOf(BlobTooLarge);
    expect(isEnded).toBe(true);
    expect(await collect(blobs.list())).toEqual([]);
  });

  test('publishes staged content once, and nothing of what was discarded', async () => {
    const staged = await blobs.stage(chunks('hel', 'lo'));
    expect(await blobs.open(HELLO)).toBeUndefined();
    await staged.publish();
    await staged.discard();
    expect(await blobs.verify(HELLO)).toBe(true);
    const dropped = await blobs.stage(bytesOf('dropped'));
    await dropped.discard();
    await dropped.publish();
    expect(await collect(blobs.list())).toEqual([HELLO]);
  });

  test('names what is wrong: credentials, bucket, address', async () => {
    const open = (change: Partial<TestStore['bucket']>) =>
      createS3Blobs(createS3Client({ ...store.bucket, ...change }), 'files', spoolDir);
    const credentials = { accessKeyId: 'test-key', secretAccessKey: 'wrong-secret' };
    await expect(open({ credentials }).put(bytesOf('hello'))).rejects.toThrow(/SignatureDoesNotMatch|AccessDenied/);
    await expect(collect(open({ bucket: 'other' }).list())).rejects.toThrow('NoSuchBucket');
    const unheard = open({ endpoint: 'http://127.0.0.1:9' }).put(bytesOf('hello'));
    const dead = unheard.catch((error: Error) => error);
    expect(await dead).toMatchObject({ problem: 'unreachable' });
    expect(String(await dead)).not.toContain('test-secret');
  });

  describe('collect', () => {
    test('removes what nobody refers to and nobody wrote lately', async () => {
      const { sha256: other } = await blobs.put(bytesOf('other'));
      await blobs.put(bytesOf('hello'));
      expect(await blobs.collect({ isReferenced: nobody, untouchedSince: new Date(0) })).toBe(0);
      const refersToOther = async () => new Set([other]);
      expect(await blobs.collect({ isReferenced: refersToOther, untouchedSince: later() })).toBe(1);
      expect(await collect(blobs.list())).toEqual([other]);
      expect(await blobs.collectSome([other, HELLO], { isReferenced: nobody, untouchedSince: later() })).toBe(1);
      expect(await collect(blobs.list())).toEqual([]);
    });

    test('keeps content that gets its reference while it is looked at', async () => {
      await blobs.put(bytesOf('hello'));
      let looks = 0;
      const isReferenced = async () => new Set(looks++ === 0 ? [] : [HELLO]);
      expect(await blobs.collect({ isReferenced, untouchedSince: later() })).toBe(0);
      expect(await blobs.verify(HELLO)).toBe(true);
    });

    // The removal has looked at the object, and its DELETE is under way when the same content is written again.
    test.each(['before its DELETE', 'after its DELETE'] as const)(
      'loses no content that is written %s',
      async (when) => {
        await blobs.put(bytesOf('hello'));
        const direct = createS3Blobs(
          createS3Client({ ...store.bucket, prefix: `place-${place - 1}/` }),
          'files',
          temporaryDir(),
        );
        let writing: Promise<unknown> | undefined;
        proxy.fateOf = ({ method, path }) => {
          const isWanted = when === 'before its DELETE' ? !path.includes('collected') : path.includes('collected');
          if (method !== 'DELETE' || !isWanted) return 'pass';
          return async () => {
            writing = direct.put(bytesOf('hello'));
            // Long enough for its write, and for its look at the mark.
            await new Promise((done) => setTimeout(done, 1000));
          };
        };
        await blobs.collectSome([HELLO], { isReferenced: nobody, untouchedSince: later() });
        await writing;
        expect(await direct.verify(HELLO)).toBe(true);
      },
    );
  });
});

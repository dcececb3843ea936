import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { type Blobs, BlobTooLarge, createBlobs } from './index.ts';

const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function* chunks(...texts: string[]) {
  for (const text of texts) yield bytesOf(text);
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const textOf = async (stream: AsyncIterable<Uint8Array>) => Buffer.concat(await collect(stream)).toString();

let parent: string;
let dir: string;
let blobs: Blobs;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'blobs-'));
  dir = join(parent, 'blobs');
  blobs = createBlobs({ dir });
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const fileOf = (sha256: string) => join(dir, sha256.slice(0, 2), sha256.slice(2));
const temporaryFiles = () => readdir(join(dir, 'tmp'));

describe('put', () => {
  test('names content by its digest, whether it comes as one array or as a stream', async () => {
    expect(await blobs.put(bytesOf('hello'))).toEqual({ sha256: HELLO, bytes: 5 });
    expect(await blobs.put(chunks('he', '', 'llo'))).toEqual({ sha256: HELLO, bytes: 5 });
    expect(await readFile(fileOf(HELLO), 'utf8')).toBe('hello');
    expect(await temporaryFiles()).toEqual([]);
  });

  test('keeps empty content', async () => {
    expect(await blobs.put(new Uint8Array())).toEqual({ sha256: EMPTY, bytes: 0 });
    expect(await blobs.put(chunks())).toEqual({ sha256: EMPTY, bytes: 0 });
    expect(await blobs.read(EMPTY)).toHaveLength(0);
  });

  test('keeps any content cut into any chunks', async () => {
    const content = fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(content, async (parts) => {
        const whole = Buffer.concat(parts);
        const source = (async function* () {
          yield* parts;
        })();
        const stored = await blobs.put(source);
        expect(stored).toEqual({ sha256: createHash('sha256').update(whole).digest('hex'), bytes: whole.length });
        expect(whole.equals((await blobs.read(stored.sha256))!)).toBe(true);
      }),
      { numRuns: rounds(10, 50) },
    );
  });

  test('of the same content many times at once stores it once', async () => {
    const stored = await Promise.all(Array.from({ length: 20 }, () => blobs.put(chunks('hel', 'lo'))));
    expect(new Set(stored.map(({ sha256 }) => sha256))).toEqual(new Set([HELLO]));
    expect(await collect(blobs.list())).toEqual([HELLO]);
    expect(await blobs.verify(HELLO)).toBe(true);
    expect(await temporaryFiles()).toEqual([]);
  });

  test('of the same content does not disturb one who reads it', async () => {
    const content = new Uint8Array(1_000_000).fill(7);
    const { sha256 } = await blobs.put(content);
    const reader = (await blobs.open(sha256))!.stream()[Symbol.asyncIterator]();
    let bytes = (await reader.next()).value.length;
    await blobs.put(content);
    for (let next = await reader.next(); !next.done; next = await reader.next()) bytes += next.value.length;
    expect(bytes).toBe(1_000_000);
  });

  test('heals a blob that was damaged on disk', async () => {
    await blobs.put(bytesOf('hello'));
    await writeFile(fileOf(HELLO), 'hellO');
    await blobs.put(bytesOf('hello'));
    expect(await blobs.verify(HELLO)).toBe(true);
  });

  test('asks for a chunk only when the one before is written', async () => {
    const written: number[] = [];
    async function* source() {
      for (let index = 0; index < 20; index += 1) {
        const [name = ''] = await temporaryFiles();
        written.push((await stat(join(dir, 'tmp', name))).size);
        yield new Uint8Array(100_000);
      }
    }
    await blobs.put(source());
    expect(written).toEqual(Array.from({ length: 20 }, (_, index) => index * 100_000));
  });

  test('writes files and directories that only their owner can read', async () => {
    let temporaryMode = 0;
    async function* source() {
      const [name = ''] = await temporaryFiles();
      temporaryMode = (await stat(join(dir, 'tmp', name))).mode;
      yield bytesOf('hello');
    }
    await blobs.put(source());
    const modes = await Promise.all([dir, join(dir, 'tmp'), join(dir, '2c'), fileOf(HELLO)].map((path) => stat(path)));
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700, 0o700, 0o600]);
    expect(temporaryMode & 0o777).toBe(0o600);
  });
});

describe('a put that fails leaves no file', () => {
  const expectNothing = async () => {
    expect(await collect(blobs.list())).toEqual([]);
    expect(await readdir(dir)).toEqual(['tmp']);
    expect(await temporaryFiles()).toEqual([]);
  };

  test('when its source throws', async () => {
    const reason = new Error('the client left');
    async function* source() {
      yield bytesOf('hel');
      throw reason;
    }
    await expect(blobs.put(source())).rejects.toBe(reason);
    await expectNothing();
  });

  test('when it is larger than bytesMax, and its source is told to stop', async () => {
    let isStopped = false;
    async function* source() {
      try {
        for (;;) yield bytesOf('hello');
      } finally {
        isStopped = true;
      }
    }
    const error = await blobs.put(source(), { bytesMax: 12 }).catch((error) => error);
    expect(error).toBeInstanceOf(BlobTooLarge);
    expect(error).toMatchObject({ bytesMax: 12, message: 'The content is larger than 12 bytes.' });
    expect(isStopped).toBe(true);
    await expect(blobs.put(bytesOf('hello'), { bytesMax: 4 })).rejects.toBeInstanceOf(BlobTooLarge);
    await expectNothing();
  });

  test('while exactly bytesMax is kept', async () => {
    expect(await blobs.put(bytesOf('hello'), { bytesMax: 5 })).toEqual({ sha256: HELLO, bytes: 5 });
  });

  test('and a directory that could not be made is tried again', async () => {
    await writeFile(dir, 'in the way');
    await expect(blobs.put(bytesOf('hello'))).rejects.toThrow();
    await rm(dir);
    expect(await blobs.put(bytesOf('hello'))).toEqual({ sha256: HELLO, bytes: 5 });
  });
});

describe('open', () => {
  test('gives the size and the content, as often as asked', async () => {
    await blobs.put(bytesOf('hello'));
    const blob = (await blobs.open(HELLO))!;
    expect(blob.bytes).toBe(5);
    expect(await textOf(blob.stream())).toBe('hello');
    expect(await textOf(blob.stream())).toBe('hello');
  });

  test.each([
    [{ start: 1 }, 'ello'],
    [{ end: 1 }, 'he'],
    [{ start: 1, end: 3 }, 'ell'],
    [{ start: 4, end: 100 }, 'o'],
    [{ start: 5 }, ''],
  ])('reads the range %j, both ends included', async (range, expected) => {
    await blobs.put(bytesOf('hello'));
    expect(await textOf((await blobs.open(HELLO))!.stream(range))).toBe(expected);
  });

  test('of a missing blob is undefined, and so is read', async () => {
    expect(await blobs.open(HELLO)).toBeUndefined();
    expect(await blobs.read(HELLO)).toBeUndefined();
  });
});

describe('remove', () => {
  test('removes one blob and no other', async () => {
    await blobs.put(bytesOf('hello'));
    await blobs.put(new Uint8Array());
    await blobs.remove(HELLO);
    expect(await blobs.open(HELLO)).toBeUndefined();
    expect(await collect(blobs.list())).toEqual([EMPTY]);
  });

  test('of a missing blob does nothing', async () => {
    await blobs.remove(HELLO);
    await blobs.put(bytesOf('hello'));
    await blobs.remove(HELLO);
    await blobs.remove(HELLO);
  });
});

describe('verify', () => {
  test('is true for content as it was put, false for damaged, cut or missing content', async () => {
    await blobs.put(bytesOf('hello'));
    expect(await blobs.verify(HELLO)).toBe(true);
    await writeFile(fileOf(HELLO), 'hellO');
    expect(await blobs.verify(HELLO)).toBe(false);
    await writeFile(fileOf(HELLO), 'hell');
    expect(await blobs.verify(HELLO)).toBe(false);
    await blobs.remove(HELLO);
    expect(await blobs.verify(HELLO)).toBe(false);
  });
});

describe('list', () => {
  test('gives every digest and nothing else that lies about', async () => {
    const stored = await Promise.all(Array.from({ length: 30 }, (_, index) => blobs.put(bytesOf(`blob ${index}`))));
    await mkdir(join(dir, 'zz'));
    await writeFile(join(dir, 'zz', 'f'.repeat(62)), '');
    await writeFile(join(dir, stored[0]!.sha256.slice(0, 2), 'README'), '');
    const listed = await collect(blobs.list());
    expect(listed.sort()).toEqual(stored.map(({ sha256 }) => sha256).sort());
  });

  test('of a directory that does not exist yet is empty', async () => {
    expect(await collect(blobs.list())).toEqual([]);
  });
});

describe('a string that is no digest', () => {
  test.each([
    '',
    '..',
    '../../etc/passwd',
    `..${'/'.repeat(62)}`,
    HELLO.toUpperCase(),
    HELLO.slice(1),
    `${HELLO}0`,
    `${HELLO}\n`,
    `${HELLO.slice(0, 62)}/.`,
    `${HELLO.slice(0, 63)}\0`,
  ])('%j is refused by every method', async (text) => {
    for (const method of ['open', 'read', 'remove', 'verify'] as const) {
      await expect(blobs[method](text)).rejects.toThrow(TypeError);
    }
  });
});

describe('sweep', () => {
  // A process of its own that is killed in the middle of a put.
  async function crashDuringPut() {
    const script = `
      import { createBlobs } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
      const blobs = createBlobs({ dir: ${JSON.stringify(dir)} });
      await blobs.put(Buffer.from('hello'));
      async function* source() {
        yield Buffer.from('half');
        process.stdout.write('written');
        await new Promise(() => setInterval(() => {}, 1000));
      }
      await blobs.put(source());
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  test('removes what a killed process left, and keeps what it had acknowledged', async () => {
    await crashDuringPut();
    expect(await temporaryFiles()).toHaveLength(1);
    expect(await collect(blobs.list())).toEqual([HELLO]);
    await blobs.sweep();
    expect(await temporaryFiles()).toEqual([]);
    expect(await blobs.verify(HELLO)).toBe(true);
  });

  test('spares a put that is under way', async () => {
    async function* source() {
      yield bytesOf('hel');
      await blobs.sweep();
      yield bytesOf('lo');
    }
    expect(await blobs.put(source())).toEqual({ sha256: HELLO, bytes: 5 });
  });

  test('spares what another process touched lately, if asked to', async () => {
    await mkdir(join(dir, 'tmp'), { recursive: true });
    const [fresh, stale] = [join(dir, 'tmp', 'fresh'), join(dir, 'tmp', 'stale')];
    await writeFile(fresh, '');
    await writeFile(stale, '');
    await utimes(fresh, new Date(3_000), new Date(3_000));
    await utimes(stale, new Date(1_000), new Date(1_000));
    await blobs.sweep({ untouchedSince: new Date(2_000) });
    expect(await temporaryFiles()).toEqual(['fresh']);
    await expect(access(stale)).rejects.toThrow('ENOENT');
  });

  test('before the first put does nothing', async () => {
    await blobs.sweep();
    await expect(access(dir)).rejects.toThrow('ENOENT');
  });
});

describe('stage', () => {
  test('keeps content without a name until it is published', async () => {
    const staged = await blobs.stage(chunks('hel', 'lo'));
    expect(staged).toMatchObject({ sha256: HELLO, bytes: 5 });
    expect(await blobs.open(HELLO)).toBeUndefined();
    await blobs.sweep();
    await staged.publish();
    expect(await blobs.verify(HELLO)).toBe(true);
    await staged.discard();
    expect(await blobs.verify(HELLO)).toBe(true);
  });

  test('leaves nothing once discarded, and publishes nothing after that', async () => {
    const staged = await blobs.stage(chunks('hello'));
    await staged.discard();
    await staged.publish();
    expect(await temporaryFiles()).toEqual([]);
    expect(await blobs.open(HELLO)).toBeUndefined();
  });
});

describe('collect', () => {
  const longAgo = new Date(1_000);
  const since = new Date(2_000);
  const age = (sha256: string) => utimes(fileOf(sha256), longAgo, longAgo);
  const nobody = async () => new Set<string>();

  test('removes what is old and without a reference, and nothing else', async () => {
    const [kept, lost] = await Promise.all(['kept', 'lost'].map((text) => blobs.put(bytesOf(text))));
    await blobs.put(bytesOf('hello'));
    await Promise.all([kept!, lost!].map(({ sha256 }) => age(sha256)));
    const isReferenced = async (digests: string[]) => new Set(digests.filter((digest) => digest === kept!.sha256));
    expect(await blobs.collect({ isReferenced, untouchedSince: since })).toBe(1);
    expect((await collect(blobs.list())).sort()).toEqual([HELLO, kept!.sha256].sort());
    expect(await temporaryFiles()).toEqual([]);
  });

  test('spares content that is put again while it looks for references', async () => {
    await blobs.put(bytesOf('hello'));
    await age(HELLO);
    const isReferenced = async () => {
      await blobs.put(bytesOf('hello'));
      return new Set<string>();
    };
    expect(await blobs.collect({ isReferenced, untouchedSince: since })).toBe(0);
    expect(await blobs.verify(HELLO)).toBe(true);
  });

  test('spares content that gets its reference while it is moved aside', async () => {
    await blobs.put(bytesOf('hello'));
    await age(HELLO);
    let asked = 0;
    const isReferenced = async () => new Set(asked++ === 0 ? [] : [HELLO]);
    expect(await blobs.collect({ isReferenced, untouchedSince: since })).toBe(0);
    expect(await blobs.verify(HELLO)).toBe(true);
  });

  test('removes more than it asks about at once, and of nothing nothing', async () => {
    expect(await blobs.collect({ isReferenced: nobody, untouchedSince: since })).toBe(0);
    const stored = await Promise.all(Array.from({ length: 520 }, (_, index) => blobs.put(bytesOf(`blob ${index}`))));
    await Promise.all(stored.map(({ sha256 }) => age(sha256)));
    expect(await blobs.collect({ isReferenced: nobody, untouchedSince: since })).toBe(520);
    expect(await collect(blobs.list())).toEqual([]);
  });
});

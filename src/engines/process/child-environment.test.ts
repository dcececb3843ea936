import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createLog } from '../../kit/base/log.ts';
import { createEmbedEngine } from '../embed/engine.ts';
import { createLlamaEngine } from '../llama/index.ts';
import { chatWeights } from '../llama/weights-for-tests.ts';
import { makePdf, newPage, SENTENCES, writeLines } from '../ocr/documents-for-tests.ts';
import { openReading, readWith } from '../ocr/reading-for-tests.ts';
import { createReadEngine } from '../read/engine.ts';
import { bubblewrap, openForTests } from '../sandbox/sandboxes-for-tests.ts';
import { createEspeakProcess } from '../speech/espeak/process.ts';
import { createKokoroEngine } from '../speech/kokoro/engine.ts';
import { embeddingWeightsForTests, speechWeightsForTests } from '../weights/weights-for-tests.ts';

const SECRET = 'canary-5d1e8b';
const SECRETS = [
  'TRAMONTANE_ADMIN_KEY',
  'DATABASE_URL',
  'MISTRAL_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'NODE_OPTIONS_X',
  'HOME_X',
];
/** What Node itself sets for the channel between the processes. */
const CHANNEL = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'];
const NATIVE = ['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];
const GPU = [
  ...['PATH', 'CUDA_HOME', 'CUDA_PATH', 'CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER', 'NVIDIA_VISIBLE_DEVICES'],
  ...['HIP_VISIBLE_DEVICES', 'ROCR_VISIBLE_DEVICES', 'HSA_OVERRIDE_GFX_VERSION', 'GGML_VK_VISIBLE_DEVICES'],
  ...['VK_ICD_FILENAMES', 'VK_DRIVER_FILES', 'VK_ADD_DRIVER_FILES', 'VK_LOADER_DRIVERS_SELECT', 'XDG_DATA_DIRS'],
  ...[
    'GGML_METAL_DEVICES',
    'GGML_NO_BACKTRACE',
    'CUDA_CACHE_PATH',
    'SYSTEMROOT',
    'WINDIR',
    'PROGRAMFILES',
    'PROGRAMW6432',
  ],
];

const log = createLog('silent');
const never = new AbortController().signal;
const closers: (() => Promise<unknown>)[] = [];
for (const name of SECRETS) process.env[name] = SECRET;
afterAll(async () => {
  for (const name of SECRETS) delete process.env[name];
  await Promise.all(closers.map((close) => close()));
});
// As the server passes it: the whole environment, from which each engine picks by name.
const environment = { ...process.env, LD_LIBRARY_PATH: '/opt/drivers', CUDA_VISIBLE_DEVICES: '0' };

const embedWeights = await embeddingWeightsForTests();
const espeak = createEspeakProcess({ log });
closers.push(espeak.close);
const speechWeights = espeak.isInstalled ? await speechWeightsForTests() : undefined;

describe.runIf(process.platform === 'linux')(
  'the environment that a child process really has',
  { timeout: 120_000 },
  () => {
    it.skipIf(!chatWeights)('llama: libraries and GPUs', async () => {
      const engine = createLlamaEngine({
        name: 'small',
        file: chatWeights ?? '',
        log,
        contextTokens: 256,
        environment,
      });
      closers.push(engine.close);
      engine.warm().catch(() => undefined);
      const found = environmentOf(engine.processId());
      expectOnly(found, [...CHANNEL, ...NATIVE, ...GPU]);
      expect(found).toMatchObject({ LD_LIBRARY_PATH: '/opt/drivers', CUDA_VISIBLE_DEVICES: '0' });
    });

    it.skipIf(!embedWeights)('embeddings: libraries', async () => {
      const [modelFile = '', tokenizerFile = ''] = embedWeights?.files ?? [];
      const engine = createEmbedEngine({ modelFile, tokenizerFile, log, environment });
      closers.push(engine.close);
      engine.embed(['up'], never).catch(() => undefined);
      expectOnly(environmentOf(engine.pid()), [...CHANNEL, ...NATIVE]);
    });

    it.skipIf(!espeak.isInstalled)('eSpeak NG: nothing', async () => {
      await espeak.phonemes('gmw/en-US', 'up', never);
      expectOnly(environmentOf(espeak.pid()), CHANNEL);
    });

    it.skipIf(!speechWeights)('Kokoro: libraries', async () => {
      const [modelFile = '', voicesFile = ''] = speechWeights?.files ?? [];
      const engine = createKokoroEngine({ modelFile, voicesFile, espeak, log, environment });
      closers.push(engine.close);
      const speech = engine.speech.speak({ text: 'Up.', voice: 'af_heart' }, never)[Symbol.asyncIterator]();
      speech.next().catch(() => undefined);
      await expect.poll(engine.pid).toBeDefined();
      expectOnly(environmentOf(engine.pid()), [...CHANNEL, ...NATIVE]);
    });

    it('OCR: libraries', async () => {
      const engine = openReading({ environment });
      closers.push(engine.close);
      await readWith(engine, await makePdf((pdf, { plain }) => void writeLines(newPage(pdf), plain, SENTENCES)));
      expectOnly(environmentOf(engine.pids()[0]), [...CHANNEL, ...NATIVE]);
    });

    it('the reader of documents: nothing', async () => {
      const limits = { textCharactersMax: 1000, chunksMax: 10, entriesMax: 1, unpackedBytesMax: 1000 };
      const engine = createReadEngine({
        ...limits,
        concurrency: 1,
        memoryMib: 256,
        documentMs: 60_000,
        log,
        environment,
      });
      closers.push(engine.close);
      const source = { bytes: Buffer.from('up'), filename: 'a.txt', mimetype: null };
      await engine.read({ source, chunkCharacters: 100 }, never);
      expectOnly(environmentOf(engine.pids()[0]), CHANNEL);
    });

    it('the code interpreter: nothing', async () => {
      const before = childrenOf(process.pid);
      const sandbox = openForTests('wasm');
      closers.push(sandbox.close);
      await sandbox.run({ code: '1' }, never);
      const [pid] = childrenOf(process.pid).filter((child) => !before.includes(child));
      expectOnly(environmentOf(pid), CHANNEL);
    });

    it.runIf(bubblewrap)('bubblewrap: a path of its own, for each of its processes', async () => {
      const before = childrenOf(process.pid);
      const sandbox = openForTests('bubblewrap');
      closers.push(sandbox.close);
      const leaving = new AbortController();
      const run = sandbox.run({ code: 'while True: pass' }, leaving.signal).catch(() => undefined);
      await expect.poll(() => descendants(before).length, { timeout: 20_000 }).toBeGreaterThan(2);
      const inside = [
        'PATH',
        'HOME',
        'LANG',
        'MPLCONFIGDIR',
        'MPLBACKEND',
        'OMP_NUM_THREADS',
        'OPENBLAS_NUM_THREADS',
        'PWD',
      ];
      for (const pid of descendants(before)) expectOnly(environmentOf(pid), inside);
      leaving.abort();
      await run;
    });

    it('the guard that ends children after the server: a path of its own', () => {
      const guard = childrenOf(process.pid).find((pid) => commandOf(pid).startsWith('/bin/sh'));
      expectOnly(environmentOf(guard), ['PATH', 'PWD']);
    });
  },
);

function descendants(before: number[]): number[] {
  const roots = childrenOf(process.pid).filter((pid) => !before.includes(pid));
  const below = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(below)];
  return roots.flatMap(below);
}

function expectOnly(found: Record<string, string>, allowed: string[]): void {
  expect(Object.keys(found).filter((name) => !allowed.includes(name))).toEqual([]);
  expect(JSON.stringify(found)).not.toContain(SECRET);
}

function environmentOf(pid: number | undefined): Record<string, string> {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasStandIn, installStandIn, type Orders, standInNeeded } from '../../../test/gpu/stand-in-gpu.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { createLog } from '../../kit/base/log.ts';
import { ask, never } from './ask-for-tests.ts';
import { createLlamaEngine, findDevice, type LlamaEngine, type LlamaOptions } from './index.ts';
import { writeTrialModel } from './trial-model.ts';

const lines: string[] = [];
const log = createLog('info', { write: (line: string) => void lines.push(line) });
let standIn: ReturnType<typeof installStandIn>;
let file: string;
let engine: LlamaEngine | undefined;

function open(changes: Partial<LlamaOptions> = {}): LlamaEngine {
  const { gpuDir, environment } = standIn;
  engine = createLlamaEngine({ name: 'small', file, log, sequences: 1, gpu: 'auto', gpuDir, environment, ...changes });
  return engine;
}

/** Processes that have loaded a library. */
function processesWith(library: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(join('/proc', pid, 'maps'), 'utf8').includes(library);
    } catch {
      return false;
    }
  });
}

const answer = (from: LlamaEngine) => from.complete(ask('canary-of-the-prompt', { maxTokens: 2 }), never);

const errors = () =>
  lines
    .map((line) => JSON.parse(line))
    .filter(({ level, msg }) => level === 50 && msg === 'the engine reported an error');

describe.skipIf(!hasStandIn)(standInNeeded, { timeout: 120_000 }, () => {
  beforeAll(() => {
    standIn = installStandIn(['cuda', 'vulkan']);
    file = join(temporaryDir(), 'model.gguf');
    writeFileSync(file, writeTrialModel());
  });
  afterEach(async () => {
    await engine?.close();
    standIn.order(undefined, 'cuda');
    standIn.order(undefined, 'vulkan');
    lines.length = 0;
  });

  test('a GPU that computes serves', async () => {
    const works = open();
    expect((await answer(works)).usage.completionTokens).toBe(2);
    expect(works.device?.()).toMatchObject({ kind: 'cuda', names: ['Stand-in GPU'], note: null });
    expect(works.device?.()?.left).toBeUndefined();
  });

  const aborted = 'its process ended with SIGABRT in its trial (CUDA error: the provided PTX was compiled';
  const failures: [Orders, string][] = [
    ['abort', aborted],
    ['crash', 'its process ended with SIGSEGV in its trial'],
    ['exit', 'its process ended with code 3 in its trial'],
    // After the prompt, and with prompts only, which have programs of their own in a GPU.
    ['abort 1', aborted],
    ['fail', 'it failed its trial: Eval has failed'],
    ['abort 0 512', aborted],
  ];
  test.each(rounds(failures.slice(-1), failures))(
    'with "%s" a model is ready on the next device, which serves the request that waits',
    async (orders, reason) => {
      standIn.order(orders);
      const left = open();
      expect((await answer(left)).usage.completionTokens).toBe(2);
      expect(left.state()).toEqual({ kind: 'ready' });
      expect(left.device?.()).toMatchObject({
        kind: 'vulkan',
        left: [{ kind: 'cuda', reason: expect.stringContaining(reason) }],
        note: expect.stringContaining(`CUDA failed and is left until the next start: ${reason}`),
      });
    },
  );

  test('the CPU serves where every GPU fails, and what they said is in the log with model and device', async () => {
    standIn.order('abort', 'cuda');
    standIn.order('abort', 'vulkan');
    const left = open();
    expect((await answer(left)).usage.completionTokens).toBe(2);
    expect(left.device?.()).toMatchObject({ kind: 'cpu', gpuLayers: 0, left: [{ kind: 'cuda' }, { kind: 'vulkan' }] });
    for (const [device, title] of [
      ['cuda', 'CUDA'],
      ['vulkan', 'Vulkan'],
    ]) {
      const of = { engine: 'small', device };
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ ...of, msg: expect.stringContaining('left until the next start') }),
      );
      expect(errors()).toContainEqual(
        expect.objectContaining({
          ...of,
          detail: expect.stringMatching(`^stand-in-gpu|^ggml-gpu.cu:98: ${title} error`),
        }),
      );
    }
  });

  inFull.it('a GPU that hangs in its trial is left after the deadline', async () => {
    standIn.order('hang');
    const left = open({ trialMs: 8000 });
    expect((await answer(left)).usage.completionTokens).toBe(2);
    expect(left.device?.()).toMatchObject({
      kind: 'vulkan',
      left: [{ kind: 'cuda', reason: expect.stringContaining('it did not finish a step of its trial within 8 s') }],
    });
  });

  const laterFailures: [Orders, string][] = [
    ['abort', 'its process ended with SIGABRT while it served (CUDA error: the provided PTX'],
    ['crash', 'its process ended with SIGSEGV while it served'],
  ];
  test.each(rounds(laterFailures.slice(0, 1), laterFailures))(
    'a GPU on which a process ends later ("%s") is left too, and nothing of a request is logged',
    async (orders, reason) => {
      const left = open();
      await answer(left);
      standIn.order(orders);
      await expect(answer(left)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect((await answer(left)).usage.completionTokens).toBe(2);
      expect(left.device?.()).toMatchObject({
        kind: 'vulkan',
        left: [{ kind: 'cuda', reason: expect.stringContaining(reason) }],
      });
      expect(errors().map(({ device }) => device)).toEqual(errors().map(() => 'cuda'));
      expect(lines.join('')).not.toContain('canary');
    },
  );

  test('a request that a GPU fails on without a crash is answered by the next device', async () => {
    const left = open();
    await answer(left);
    standIn.order('fail');
    expect((await answer(left)).usage.completionTokens).toBe(2);
    expect(left.device?.()).toMatchObject({
      kind: 'vulkan',
      left: [{ kind: 'cuda', reason: expect.stringContaining('it could not compute: Eval has failed') }],
    });
    expect(lines.join('')).not.toContain('canary');
  });

  inFull.it('a GPU that hangs later is left too', async () => {
    const left = open({ patience: { askEveryMs: 100, stuckMs: 15_000 } });
    await answer(left);
    standIn.order('hang');
    await expect(answer(left)).rejects.toMatchObject({ status: 503 });
    await answer(left);
    expect(left.device?.()).toMatchObject({
      kind: 'vulkan',
      left: [{ kind: 'cuda', reason: expect.stringContaining('it made no progress for 15 s') }],
    });
  });

  test('a process that is killed from outside comes back on its GPU', async () => {
    const killed = open();
    await killed.warm();
    process.kill(killed.processId() ?? Number.NaN, 'SIGKILL');
    await expect
      .poll(() =>
        answer(killed).then(
          () => killed.device?.()?.kind,
          () => undefined,
        ),
      )
      .toBe('cuda');
    expect(killed.device?.()?.left).toBeUndefined();
  });

  inFull.describe('a library that cannot be loaded', () => {
    let broken: ReturnType<typeof installStandIn>;
    beforeAll(() => {
      broken = installStandIn();
    });

    test('is left with what the loader of the system says', async () => {
      writeFileSync(broken.libraryOf('cuda'), 'no library');
      const left = open({ gpuDir: broken.gpuDir });
      expect((await answer(left)).usage.completionTokens).toBe(2);
      expect(left.device?.()).toMatchObject({
        kind: 'cpu',
        left: [
          {
            kind: 'cuda',
            reason: expect.stringMatching(/^it cannot be opened: .*libggml-cuda\.so: .*(file too short|ELF)/),
          },
        ],
      });
    });
  });

  inFull.it('a library that hangs while it is loaded is left after the deadline, and leaves no process', async () => {
    standIn.order('hang-open');
    const left = open({ trialMs: 8000 });
    await answer(left);
    expect(left.device?.()).toMatchObject({ left: [{ kind: 'cuda', reason: 'it did not open within 8 s' }] });
    await left.close();
    await expect.poll(() => processesWith(standIn.libraryOf('cuda'))).toEqual([]);
  });

  inFull.it('weights that no device can load leave none: once they are replaced, the GPU serves', async () => {
    const damaged = join(temporaryDir(), 'damaged.gguf');
    writeFileSync(damaged, 'no model');
    const loads = open({ file: damaged });
    await expect(answer(loads)).rejects.toMatchObject({ message: expect.stringContaining('the file may be damaged') });
    writeFileSync(damaged, writeTrialModel());
    const device = () =>
      answer(loads).then(
        () => loads.device?.(),
        () => undefined,
      );
    await expect.poll(device, { timeout: 60_000 }).toMatchObject({ kind: 'cuda', note: null });
  });

  inFull.it('the probe lets a GPU compute as well, and says which one failed', async () => {
    const { gpuDir, environment } = standIn;
    expect(await findDevice({ gpuDir, environment, log })).toMatchObject({ device: { kind: 'cuda' }, left: [] });
    standIn.order('abort 0 512');
    const left = [{ kind: 'cuda', reason: expect.stringContaining('its process ended with SIGABRT in its trial') }];
    expect(await findDevice({ gpuDir, environment, log })).toMatchObject({ device: { kind: 'vulkan' }, left });
  });
});

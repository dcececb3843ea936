import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { inFull } from '../../../test/support/in-full.ts';
import { createLog } from '../../kit/base/log.ts';
import { ApiError } from '../../kit/http/index.ts';
import { ask, never, read } from './ask-for-tests.ts';
import { createLlamaEngine, type LlamaEngine, type LlamaOptions } from './index.ts';
import { chatWeights, weightsNeeded } from './weights-for-tests.ts';

/** Greedy, its answer has more than 400 tokens. At temperature 1 one answer in fifteen ends within a dozen. */
const LONG_STORY = 'Tell a long story.';
const log = createLog('silent');
let engine: LlamaEngine | undefined;

function open(changes: Partial<LlamaOptions> = {}): LlamaEngine {
  engine = createLlamaEngine({ name: 'small', file: chatWeights ?? '', log, contextTokens: 512, ...changes });
  return engine;
}

afterEach(() => engine?.close());

test('missing weights are said in words, by the state and by every request', async () => {
  const missing = open({ file: '/nowhere/model.gguf' });
  expect(missing.state()).toStrictEqual({ kind: 'ready' });
  const refusal = {
    status: 503,
    message: expect.stringContaining('not on this machine'),
    headers: { 'retry-after': '1' },
  };
  await expect(missing.complete(ask('Hi'), never)).rejects.toMatchObject(refusal);
  expect(missing.state()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not on this machine') });
});

test('a file that is no model is said in words', async () => {
  const broken = open({ file: fileURLToPath(import.meta.url) });
  await expect(broken.complete(ask('Hi'), never)).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('weights cannot be read'),
  });
  expect(broken.state().kind).toBe('failed');
});

test('the process of a model ends when its parent goes', async () => {
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [], { execArgv: [], env: {} });
  await once(child, 'spawn');
  child.disconnect();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

describe.skipIf(!chatWeights)(weightsNeeded, { timeout: 240_000 }, () => {
  inFull.it('a killed process fails its streams in words and the next request works', async () => {
    const killed = open();
    await killed.warm();
    const pid = killed.processId();
    const { promise: allBegan, resolve } = Promise.withResolvers<void>();
    let began = 0;
    // With the whole answer beside them as many as there are sequences: one more might begin when the first has ended.
    const streams = Array.from({ length: 7 }, () => {
      let isFirst = true;
      return read(killed, ask(LONG_STORY, { maxTokens: 300 }), never, () => {
        if (isFirst && ++began === 7) resolve();
        isFirst = false;
      });
    });
    const whole = killed.complete(ask(LONG_STORY, { maxTokens: 400 }), never).catch((error: unknown) => error);
    await allBegan;
    process.kill(pid ?? Number.NaN, 'SIGKILL');
    for (const { error, text } of await Promise.all(streams)) {
      expect(text).not.toBe('');
      expect(error).toMatchObject({ status: 503, message: expect.stringContaining('started again') });
    }
    expect(await whole).toBeInstanceOf(ApiError);
    const { choices } = await killed.complete(ask('What is the capital of France?'), never);
    expect(choices[0]?.text).not.toBe('');
    expect(killed.processId()).not.toBe(pid);
  });

  inFull.it('a process that hangs is ended, its streams fail in words and the next request works', async () => {
    const hanging = open({ patience: { askEveryMs: 100, silentMs: 2000 } });
    await hanging.warm();
    const pid = hanging.processId() ?? Number.NaN;
    const request = ask(LONG_STORY, { maxTokens: 400 });
    const { promise: began, resolve } = Promise.withResolvers<void>();
    const stream = read(hanging, request, never, () => resolve());
    await began;
    process.kill(pid, 'SIGSTOP');
    const late = hanging.complete(request, never).catch((error: unknown) => error);
    expect((await stream).error).toMatchObject({ status: 503, message: expect.stringContaining('started again') });
    expect(await late).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    const { choices } = await hanging.complete(ask('What is the capital of France?'), never);
    expect(choices[0]?.text).not.toBe('');
  });

  test('a process that hangs while it loads is ended too', async () => {
    const hanging = open({ patience: { askEveryMs: 100, startingMs: 500 } });
    const refused = expect(hanging.warm()).rejects.toMatchObject({ status: 503 });
    process.kill(hanging.processId() ?? Number.NaN, 'SIGSTOP');
    await refused;
  });

  inFull.it('a prompt that takes longer than the patience is not taken for a hang', async () => {
    const slow = open({
      patience: { askEveryMs: 100, silentMs: 3000, stuckMs: 6000 },
      contextTokens: 1280,
      threads: 1,
    });
    await slow.warm();
    const pid = slow.processId();
    const { usage } = await slow.complete(ask('One word after another. '.repeat(200), { maxTokens: 1 }), never);
    expect(usage.promptTokens).toBeGreaterThan(1000);
    expect(slow.processId()).toBe(pid);
  });

  inFull.it('a Ctrl-C or a service manager that reaches every process leaves running answers alone', async () => {
    const serving = open();
    await serving.warm();
    const pid = serving.processId() ?? Number.NaN;
    const { error, tokens } = await read(serving, ask('Count from one to ten.', { maxTokens: 30 }), never, () => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.kill(pid, signal);
    });
    expect(error).toBeUndefined();
    expect(tokens).toBeGreaterThan(0);
    expect(serving.processId()).toBe(pid);
  });

  inFull.it('requests beyond the queue are refused with the time to wait', async () => {
    const busy = open({ sequences: 1, queueMax: 1 });
    await busy.warm();
    const controller = new AbortController();
    const request = ask(LONG_STORY, { maxTokens: 400 });
    const running = [read(busy, request, controller.signal), read(busy, request, controller.signal)];
    await expect(busy.complete(request, never)).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
    });
    controller.abort();
    await Promise.all(running);
    expect((await busy.complete(ask('Hi', { maxTokens: 1 }), never)).choices).toHaveLength(1);
  });

  inFull.it('closing fails what is running and ends the process', async () => {
    const closing = open();
    await closing.warm();
    const reading = read(closing, ask(LONG_STORY, { maxTokens: 400 }), never, () => void closing.close());
    expect((await reading).error).toMatchObject({ status: 503 });
    await expect(closing.complete(ask('Hi'), never)).rejects.toMatchObject({ status: 503 });
    expect(closing.processId()).toBeUndefined();
  });
});

import { spawn } from 'node:child_process';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { firstLine } from '../../../test/support/first-line.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { createLog } from '../../kit/base/log.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { ChatRequest } from '../engine.ts';
import { embeddingWeightsForTests } from '../weights/weights-for-tests.ts';
import { createEmbedEngine, type EmbedEngine, type EmbedOptions } from './engine.ts';
import { WINDOW_TOKENS } from './plan-batches.ts';

const weights = await embeddingWeightsForTests();
const [modelFile = '', tokenizerFile = ''] = weights?.files ?? [];
const log = createLog('silent');
const never = new AbortController().signal;
const engines: EmbedEngine[] = [];
const opened = (options: Partial<EmbedOptions> = {}) => {
  const engine = createEmbedEngine({ modelFile, tokenizerFile, log, ...options });
  engines.push(engine);
  return engine;
};
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
const words = (count: number, seed = 0) =>
  Array.from(
    { length: count },
    (_, i) => ['tree', 'stone', 'river', 'cloud', 'bird'][(i * 7 + seed + (i >> 2)) % 5],
  ).join(' ');

describe.skipIf(!weights)('the engine with real weights', () => {
  const engine = opened();
  const embed = async (...texts: string[]) => (await engine.embed(texts, never)).vectors;

  it('puts a paraphrase near and another matter far', async () => {
    const [question, paraphrase, other] = await embed(
      'How do I reset my password?',
      'I forgot my password, how can I change it?',
      'The volcano erupted at dawn over the island.',
    );
    expect(dot(question!, paraphrase!)).toBeGreaterThan(0.6);
    expect(Math.abs(dot(question!, other!))).toBeLessThan(0.2);
  });

  it('gives the vector that Python computes with the same weights', async () => {
    const [vector] = await embed('This is an example sentence');
    // By tokenizers, onnxruntime and numpy.
    const known = [0.06679, 0.06119, 0.05091, 0.07902, 0.03837, 0.00396, 0.03958, -0.00498];
    expect(vector).toHaveLength(384);
    for (const [i, value] of known.entries()) expect(vector![i]).toBeCloseTo(value, 3);
    expect(dot(vector!, vector!)).toBeCloseTo(1, 5);
  });

  it('gives the same text the same vector, alone, twice or among others', async () => {
    const text = 'The same text twice.';
    const [alone] = await embed(text);
    const [first, , second] = await embed(text, 'Something longer stands between the two of them, for padding.', text);
    expect(first).toEqual(second);
    expect(dot(alone!, first!)).toBeGreaterThan(0.9999);
  });

  inFull.it('keeps the order of 512 texts of all lengths', { timeout: 120_000 }, async () => {
    const texts = Array.from({ length: 512 }, (_, i) => `${words(i % 19, i)} number ${i}`);
    const { vectors, promptTokens } = await engine.embed(texts, never);
    expect(vectors).toHaveLength(512);
    for (const i of [0, 1, 18, 19, 255, 511]) {
      const [alone] = await embed(texts[i]!);
      expect(dot(alone!, vectors[i]!)).toBeGreaterThan(0.9999);
    }
    const counts = await engine.countTokens(texts, never);
    expect(promptTokens).toBe(counts.reduce((sum, count) => sum + count, 0));
  });

  it('counts tokens with one pair of marks, however long the text', async () => {
    const texts = ['hello', '', words(1000)];
    expect(await engine.countTokens(texts, never)).toEqual([3, 2, 1002]);
    expect((await engine.embed(texts, never)).promptTokens).toBe(1007);
  });

  it('embeds a long text in windows and averages them by their tokens', async () => {
    const inner = WINDOW_TOKENS - 2;
    const [head, tail] = [words(inner), words(100, 3)];
    const [whole, first, second] = await embed(`${head} ${tail}`, head, tail);
    const mean = first!.map((value, i) => value * WINDOW_TOKENS + second![i]! * 102);
    const length = Math.sqrt(dot(mean, mean));
    expect(dot(whole!, mean) / length).toBeGreaterThan(0.9999);
    expect(dot(whole!, whole!)).toBeCloseTo(1, 5);
  });

  it('a cancelled request ends at once and does not hold up the next one', async () => {
    const controller = new AbortController();
    const long = Array.from({ length: 400 }, (_, i) => words(200, i));
    const cancelled = engine.embed(long, controller.signal);
    await embed('let the long one begin');
    const reason = new Error('the client left');
    controller.abort(reason);
    await expect(cancelled).rejects.toBe(reason);
    const startMs = performance.now();
    await embed('and now me');
    expect(performance.now() - startMs).toBeLessThan(10_000);
    await expect(engine.embed(['x'], controller.signal)).rejects.toBe(reason);
  });

  it('a small request is not kept waiting by a big one', async () => {
    const controller = new AbortController();
    const big = engine.embed(
      Array.from({ length: 300 }, (_, i) => words(200, i)),
      controller.signal,
    );
    const winner = await Promise.race([big.then(() => 'big'), embed('small').then(() => 'small')]);
    expect(winner).toBe('small');
    controller.abort();
    await expect(big).rejects.toThrow();
  });

  it("a tenant's small requests are not kept waiting by many big ones of another", async () => {
    const [a, b] = ['a', 'b'].map((organization) => ({ organization, key: 'k' }));
    const leaving = new AbortController();
    let finished = 0;
    // Each has four batches: taking turns by request, all of them would end with the fourth small one.
    const texts = Array.from({ length: 64 }, (_, i) => words(3, i));
    const flood = Array.from({ length: 12 }, () =>
      engine.embed(texts, leaving.signal, undefined, undefined, a).then(() => finished++),
    );
    for (let i = 0; i < 4; i++) await engine.embed(['small'], never, undefined, undefined, b);
    expect(finished).toBeLessThan(6);
    leaving.abort(new Error('left'));
    await Promise.allSettled(flood);
  });

  it('answers 503 with Retry-After when the process dies, and works again after', async () => {
    const flight = engine.embed(
      Array.from({ length: 200 }, (_, i) => words(200, i)),
      never,
    );
    const refused = expect(flight).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    const before = engine.pid();
    process.kill(before!, 'SIGKILL');
    await refused;
    await vi.waitFor(() => expect(engine.state()).toEqual({ kind: 'ready' }), { timeout: 15_000 });
    expect(engine.pid()).not.toBe(before);
    expect(await embed('back again')).toHaveLength(1);
  });

  inFull.it('ends a process that hangs, answers 503 to who waited for it, and works again after', async () => {
    const hanging = opened({ patience: { askEveryMs: 100, silentMs: 2000 } });
    await hanging.embed(['up'], never);
    const before = hanging.pid() ?? Number.NaN;
    process.kill(before, 'SIGSTOP');
    await expect(hanging.embed(['x'], never)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await vi.waitFor(() => expect(hanging.state()).toEqual({ kind: 'ready' }), { timeout: 15_000 });
    expect(hanging.pid()).not.toBe(before);
    expect((await hanging.embed(['back again'], never)).vectors).toHaveLength(1);
  });

  it('says that it only embeds when it is asked to chat', async () => {
    const request = {} as ChatRequest;
    await expect(engine.complete(request, never)).rejects.toMatchObject({ status: 400 });
    expect(() => engine.stream(request, never)).toThrow(ApiError);
  });

  it('nothing is asked of the model for no texts', async () => {
    expect(await engine.embed([], never)).toEqual({ vectors: [], promptTokens: 0 });
  });

  it('its process ends when the parent is killed', async () => {
    const script = `
      import { createEmbedEngine } from ${JSON.stringify(new URL('engine.ts', import.meta.url).href)};
      import { createLog } from ${JSON.stringify(new URL('../../kit/base/log.ts', import.meta.url).href)};
      const engine = createEmbedEngine({ ...${JSON.stringify({ modelFile, tokenizerFile })}, log: createLog('silent') });
      await engine.embed(['up'], new AbortController().signal);
      console.log(engine.pid());
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const line = await firstLine(parent);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(() => process.kill(Number(line), 0)).toThrow('ESRCH'), { timeout: 10_000 });
  });

  it('close ends the process and refuses what comes after', async () => {
    const closing = opened();
    await closing.embed(['x'], never);
    const pid = closing.pid();
    await closing.close();
    expect(() => process.kill(pid!, 0)).toThrow('ESRCH');
    await expect(closing.embed(['x'], never)).rejects.toMatchObject({ status: 503 });
  });
});

describe('an engine without usable weights', () => {
  it('says so in its state and answers 503 without a path in the words', async () => {
    const engine = opened({ modelFile: '/nowhere/model.onnx', tokenizerFile: '/nowhere/tokenizer.json' });
    await vi.waitFor(() => expect(engine.state().kind).toBe('failed'), { timeout: 15_000 });
    const refused = await engine.embed(['x'], never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503 });
    expect(String(refused)).not.toContain('nowhere');
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { inFull } from '../../../../test/support/in-full.ts';
import { createLog } from '../../../kit/base/log.ts';
import { speechWeightsForTests } from '../../weights/weights-for-tests.ts';
import { createEspeakProcess } from '../espeak/process.ts';
import { collect, loudness, roughness } from '../sounds-for-tests.ts';
import { createKokoroEngine, type KokoroEngine, type KokoroOptions } from './engine.ts';

const log = createLog('silent');
const never = new AbortController().signal;
const espeak = createEspeakProcess({ log });
const weights = espeak.isInstalled ? await speechWeightsForTests() : undefined;
const [modelFile = '', voicesFile = ''] = weights?.files ?? [];
const engines: KokoroEngine[] = [];
const opened = (options: Partial<KokoroOptions> = {}) => {
  const engine = createKokoroEngine({ modelFile, voicesFile, espeak, log, ...options });
  engines.push(engine);
  const speak = (text: string, voice = 'af_heart', signal = never) => engine.speech.speak({ text, voice }, signal);
  return { engine, speak };
};
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  await espeak.close();
});

describe.skipIf(!weights)('Kokoro with real weights', { timeout: 120_000 }, () => {
  const { engine, speak } = opened();

  it('is not started before somebody speaks', () => {
    expect(engine.pid()).toBeUndefined();
    expect(engine.state()).toEqual({ kind: 'ready' });
  });

  it('speaks a sentence at a time, neither noise nor silence, as long as it takes to say it', async () => {
    const { pieces, samples } = await collect(speak('Hello there, my friend. How are you today?'));
    expect(pieces).toHaveLength(2);
    const seconds = samples / engine.speech.sampleRate;
    expect(seconds).toBeGreaterThan(2);
    expect(seconds).toBeLessThan(6);
    expect(loudness(pieces)).toBeGreaterThan(0.01);
    expect(roughness(pieces)).toBeLessThan(0.02);
  });

  inFull.it('says what overflows with all optimizations of the runtime', async () => {
    const { pieces } = await collect(speak('My grandmother planted apple trees behind the house.'));
    expect(loudness(pieces)).toBeGreaterThan(0.01);
  });

  inFull.it('sounds different in another voice', async () => {
    const [she, he] = [await collect(speak('Good night.')), await collect(speak('Good night.', 'bm_george'))];
    expect(he.pieces[0]?.slice(0, 5000)).not.toEqual(she.pieces[0]?.slice(0, 5000));
  });

  it('gives no sound for a text without words, and refuses a voice that it does not have', async () => {
    expect((await collect(speak(' \u{1f600} '))).samples).toBe(0);
    expect(() => speak('Hello', 'en-us')).toThrow("no voice 'en-us'");
  });

  inFull.it('stops at once for a client that leaves', async () => {
    const leave = new AbortController();
    const stream = speak('It is very short. '.repeat(20), 'af_sky', leave.signal)[Symbol.asyncIterator]();
    await stream.next();
    const reason = new Error('the client left');
    leave.abort(reason);
    await expect(stream.next()).rejects.toBe(reason);
  });

  inFull.it("refuses with 429 and Retry-After when too many of a key wait, and speaks another's next", async () => {
    const leaving = new AbortController();
    const flood = Array.from({ length: 20 }, () => collect(speak('Up.', 'af_sky', leaving.signal)));
    const settled = Promise.allSettled(flood);
    await expect(
      Promise.any(
        flood.map((one) =>
          one.then(
            () => Promise.reject(),
            (error) => error,
          ),
        ),
      ),
    ).resolves.toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    const tenant = { organization: 'b', key: 'k' };
    expect(
      (await collect(engine.speech.speak({ text: 'Up.', voice: 'af_sky', tenant }, never))).samples,
    ).toBeGreaterThan(0);
    leaving.abort(new Error('left'));
    const spoken = (await settled).filter(({ status }) => status === 'fulfilled');
    expect(spoken.length).toBeLessThan(8);
  });

  inFull.it('killed in the middle of a speech is a 503 with Retry-After, and the next request works', async () => {
    const stream = speak('It is very short. '.repeat(20))[Symbol.asyncIterator]();
    await stream.next();
    const before = engine.pid();
    process.kill(before ?? Number.NaN, 'SIGKILL');
    const rest = (async () => {
      while (!(await stream.next()).done);
    })();
    await expect(rest).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect((await collect(speak('Back.'))).samples).toBeGreaterThan(0);
    expect(engine.pid()).not.toBe(before);
  });
});

describe('Kokoro', () => {
  it.skipIf(!espeak.isInstalled)(
    'without usable weights says so in its state and answers 503 without a path in the words',
    async () => {
      const { engine, speak } = opened({ modelFile: '/nowhere/model.onnx', voicesFile: '/nowhere/voices.bin' });
      const refused = await collect(speak('Hello')).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 503 });
      expect(String(refused)).not.toContain('nowhere');
      expect(engine.state()).toMatchObject({ kind: 'failed' });
    },
  );

  it('without eSpeak NG says what to install', async () => {
    const without = createEspeakProcess({ log, library: undefined });
    const { engine, speak } = opened({ espeak: without });
    expect(engine.state()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not installed') });
    await expect(collect(speak('Hello'))).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('@echogarden/espeak-ng-emscripten'),
    });
    expect(engine.pid()).toBeUndefined();
  });
});

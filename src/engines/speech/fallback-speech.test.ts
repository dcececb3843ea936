import { afterAll, describe, expect, it } from 'vitest';
import { createLog } from '../../kit/base/log.ts';
import type { Engine, EngineState, SpeechEngine } from '../engine.ts';
import { refuseChat } from '../errors.ts';
import { createPulledEngine } from '../pulled-engine.ts';
import { createEspeakProcess } from './espeak/process.ts';
import { createFallbackSpeech, withFallbackSpeech } from './fallback-speech.ts';
import { collect } from './sounds-for-tests.ts';

const log = createLog('silent');
const never = new AbortController().signal;
const espeak = createEspeakProcess({ log });
afterAll(() => espeak.close());

const neural: SpeechEngine = {
  name: 'kokoro',
  sampleRate: 24_000,
  voices: [],
  defaultVoice: 'af_heart',
  clones: false,
  async *speak() {
    yield new Float32Array(1);
  },
};

/** An engine at the far side of the border: what matters here is when it is there. */
function create(options: {
  find?: () => Promise<string | undefined>;
  fetch?: () => Promise<string>;
  state?: EngineState;
}) {
  const pulled = createPulledEngine<string>({
    name: 'kokoro-82m',
    offers: {},
    find: options.find ?? (async () => undefined),
    fetch: options.fetch,
    describe: () => '3 of 9 MB',
    open: (): Engine => ({
      ...refuseChat('speaks'),
      speech: neural,
      state: () => options.state ?? { kind: 'ready' },
      close: async () => undefined,
    }),
    log,
  });
  return withFallbackSpeech(pulled, createFallbackSpeech(espeak));
}

describe('until the weights of Kokoro are here', () => {
  it('eSpeak NG speaks in its own name, with the same voices, and Kokoro as soon as they have come', async () => {
    let arrive: (file: string) => void = () => undefined;
    const engine = create({ fetch: () => new Promise((resolve) => (arrive = resolve)) });
    const { name, sampleRate, voices, defaultVoice } = engine.speech;
    expect({ name, sampleRate, defaultVoice }).toEqual({
      name: 'espeak-ng',
      sampleRate: 22_050,
      defaultVoice: 'af_heart',
    });
    expect(voices).toHaveLength(54);
    const preparing = engine.prepare();
    await Promise.resolve();
    arrive('file');
    await preparing;
    expect(engine.speech.name).toBe('kokoro');
  });

  it('a request looks for them again, but not every one', async () => {
    let looks = 0;
    const engine = create({ find: async () => (looks++ === 0 ? undefined : 'file') });
    for (let i = 0; i < 3; i++) expect(engine.speech.name).toBe('espeak-ng');
    expect(looks).toBe(1);
    await engine.prepare();
    expect(engine.speech.name).toBe('espeak-ng');
    await engine.prepare();
    expect(engine.speech.name).toBe('kokoro');
  });

  it.skipIf(!espeak.isInstalled)('a woman stays a woman and a language a language', async () => {
    const { speech } = create({});
    const said = async (voice: string, text: string) => (await collect(speech.speak({ text, voice }, never))).samples;
    expect(await said('af_heart', 'Hello.')).not.toBe(await said('am_adam', 'Hello.'));
    expect(await said('ff_siwis', 'Bonjour.')).toBeGreaterThan(10_000);
    expect(() => speech.speak({ text: 'x', voice: 'en-us' }, never)).toThrow("no voice 'en-us'");
  });
});

describe('when Kokoro cannot be used', () => {
  it('eSpeak NG speaks', async () => {
    const engine = create({ find: async () => 'file', state: { kind: 'failed', reason: 'no runtime' } });
    await engine.prepare();
    expect(engine.speech.name).toBe('espeak-ng');
  });

  it('and eSpeak NG is not installed either, the answer is a 503 with Retry-After that says what to install', async () => {
    const standIn = createFallbackSpeech(createEspeakProcess({ log, library: undefined }));
    const refused = collect(standIn.speak({ text: 'Hello', voice: 'af_heart' }, never));
    await expect(refused).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
  });
});

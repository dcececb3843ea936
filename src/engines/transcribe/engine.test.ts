import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { isFull } from '../../../test/support/rounds.ts';
import { createLog } from '../../kit/base/log.ts';
import { lightWeightsForTests, transcriptionWeightsForTests } from '../weights/weights-for-tests.ts';
import { createWhisperEngine } from './engine.ts';
import { audioFixture, keepFile, makeNoise, makeTone, makeWav, SPOKEN, samplesOf } from './sounds-for-tests.ts';
import type { LivePart, TranscribeRequest, TranscriptPart } from './transcription-engine.ts';

const never = new AbortController().signal;
const weights = await transcriptionWeightsForTests();
const [encoderFile = '', decoderFile = '', tokenizerFile = '', vadFile = ''] = weights?.files ?? [];
const light = await lightWeightsForTests();
const dir = temporaryDir();
const engine = createWhisperEngine({
  encoderFile,
  decoderFile,
  tokenizerFile,
  vadFile,
  threads: 1,
  concurrency: 1,
  hoursMax: 1,
  decoderMemoryMib: 512,
  light: () => light,
  dir,
  log: createLog('silent'),
});
afterAll(() => engine.close());

async function transcribe(file: string, options: Partial<TranscribeRequest> = {}, signal = never) {
  const parts: TranscriptPart[] = [];
  const request = { file, hasSegments: true, hasWords: false, diarize: false, ...options };
  const spent: number[] = [];
  const tally = {
    add: ({ promptTokens }: { promptTokens: number }) => void spent.push(promptTokens),
    admit: () => undefined,
  };
  for await (const some of engine.transcription?.transcribe(request, signal, tally) ?? []) parts.push(...some);
  const of = <K extends TranscriptPart['kind']>(kind: K) =>
    parts.filter((part): part is Extract<TranscriptPart, { kind: K }> => part.kind === kind);
  const text = of('text').map((part) => part.text);
  return { parts, of, text: text.join('').trim(), seconds: spent.reduce((sum, value) => sum + value, 0) };
}

const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z ]/g, '');

describe.skipIf(!weights)('Whisper with real weights', { timeout: 120_000 }, () => {
  it('writes down what is said, with its language, the times of its words, and what it cost', async () => {
    const { text, of, parts, seconds } = await transcribe(audioFixture('opus.ogg'), { hasWords: true });
    expect(plain(text)).toContain(plain(SPOKEN));
    expect(parts[0]).toEqual({ kind: 'audio', seconds: expect.closeTo(4.6, 1) });
    expect(of('language')).toEqual([{ kind: 'language', language: 'en' }]);
    const words = of('word');
    expect(words.map((word) => plain(word.text)).join(' ')).toContain(plain(SPOKEN));
    for (const [i, word] of words.entries()) {
      expect(word.end).toBeGreaterThanOrEqual(word.start);
      expect(word.start).toBeGreaterThanOrEqual(words[i - 1]?.start ?? 0);
      expect(word.end).toBeLessThanOrEqual(4.7);
    }
    // "Thursday" is said about a second after the beginning, "room" at the end.
    expect(words.find((word) => /Thursday/.test(word.text))?.start).toBeGreaterThan(0.5);
    expect(words.at(-1)?.start).toBeGreaterThan(3);
    expect(seconds).toBe(5);
    expect(readdirSync(dir)).toEqual([]);
  });

  inFull.given(light).it('hears English live by the light model, and nothing in noise', async () => {
    const signal = new AbortController().signal;
    const live = await engine.transcription?.listen?.({ language: 'en' }, signal);
    await live?.feed(makeNoise(2, 0.05));
    await live?.feed(await samplesOf('opus.ogg'));
    await live?.end();
    const parts: LivePart[] = [];
    for await (const some of live?.parts ?? []) parts.push(...some);
    const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
    const segments = parts.flatMap((part) => (part.kind === 'segment' ? [part] : []));
    // It hears "half-pass".
    expect(plain(texts.join('')).trim()).toMatch(
      /^we will meet on thursday at half.* nine in the small conference room$/,
    );
    expect(segments.map(({ text }) => text).join(' ')).toBe(texts.join('').trim());
    expect(segments[0]?.start).toBeGreaterThan(1.5);
    expect(segments.at(-1)?.end).toBeLessThan(7);
    expect(parts[0]).toEqual({ kind: 'language', language: 'en' });
    expect(readdirSync(dir)).toEqual([]);
  });

  inFull.given(light).it('hears English by Whisper where the light model cannot be loaded', async () => {
    const broken = createWhisperEngine({
      ...{ encoderFile, decoderFile, tokenizerFile, vadFile, threads: 1, concurrency: 1, hoursMax: 1 },
      ...{ decoderMemoryMib: 512, dir, log: createLog('silent') },
      light: () => light && { ...light, encoderFile: keepFile(Buffer.from('no model')) },
    });
    try {
      const live = await broken.transcription?.listen?.({ language: 'en' }, never);
      await live?.feed(await samplesOf('opus.ogg'));
      await live?.end();
      let text = '';
      for await (const parts of live?.parts ?? [])
        for (const part of parts) if (part.kind === 'text') text += part.text;
      expect(plain(text).trim()).toBe(plain(SPOKEN));
    } finally {
      await broken.close();
    }
  });

  it('invents nothing where nobody speaks', async () => {
    const sounds = [new Float32Array(16_000 * 10), makeNoise(6), makeTone(6)];
    for (const sound of sounds) {
      const { text, of } = await transcribe(keepFile(makeWav(sound)));
      expect({ text, segments: of('segment') }).toEqual({ text: '', segments: [] });
    }
  });

  it('stops for a client that leaves, and leaves no file behind', async () => {
    const leave = new AbortController();
    const file = keepFile(makeWav(makeNoise(60)));
    const running = transcribe(file, {}, leave.signal);
    leave.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(readdirSync(dir)).toEqual([]);
  });

  it.each([
    ['an unknown language', { language: 'xx' }, 'language_not_spoken'],
    ['speakers', { diarize: true }, 'diarization_unavailable'],
  ])('refuses %s with what to do', async (_name, options, code) => {
    await expect(transcribe(audioFixture('opus.ogg'), options)).rejects.toMatchObject({ status: 400, code });
  });

  it('refuses what is no audio, or too long, before anything is transcribed, and leaves no file behind', async () => {
    const refused = async (bytes: Uint8Array) =>
      expect(transcribe(keepFile(bytes))).rejects.toMatchObject({
        status: 400,
        code: expect.stringMatching(/^audio_/),
      });
    await refused(Buffer.from('<html>not found</html>'));
    await refused(Buffer.alloc(0));
    // An hour takes its time to decode.
    if (isFull) await refused(makeWav(new Float32Array(8000 * 3700), { rate: 8000, bits: 8 }));
    expect(readdirSync(dir)).toEqual([]);
  });

  inFull.it('hears the same in every format, and at any place of a long silence', async () => {
    for (const name of ['opus.webm', 'vorbis.ogg', 'speech.mp3'])
      expect(plain((await transcribe(audioFixture(name))).text)).toContain(plain(SPOKEN));
  });
});

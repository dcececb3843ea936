import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { LightUnavailable, type ListenPorts, type LookOptions, listenTo } from './listen.ts';
import { createLiveAudio, type LiveAudio } from './live-audio.ts';
import { lookAt } from './look-at.ts';
import type { HeardWord, LiveWord, LookReply } from './protocol.ts';
import { type ListenOptions, type LivePart, SAMPLE_RATE } from './transcription-engine.ts';
import { startFollowing } from './vad/follow-speech.ts';
import type { SileroModel } from './vad/silero.ts';

/** A word in each second from `start` on. */
function say(start: number, words: string[]): HeardWord[] {
  return words.map((text, index) => ({ text: ` ${text}`, start: start + index, end: start + index + 0.9, score: 1 }));
}

/** Sound where somebody speaks, silence elsewhere. */
function soundOf(spoken: HeardWord[], seconds: number): Float32Array {
  const samples = new Float32Array(seconds * SAMPLE_RATE);
  for (const { start, end } of spoken) samples.fill(0.5, start * SAMPLE_RATE, end * SAMPLE_RATE);
  return samples;
}

/** Hears that somebody speaks where there is sound. */
const detector: SileroModel = {
  start: () => ({
    next: async (chunk) => Float32Array.of((chunk[chunk.length - 1] ?? 0) > 0.1 ? 1 : 0),
    memory: () => ({ heard: new Float32Array(0), state: new Float32Array(0) }),
  }),
};

type Model = { spoken: HeardWord[]; language?: string; isSure?: boolean };

/** Models that hear these words as far as the audio goes. The light one knows no times and mistakes half a word. */
function modelOf(audio: LiveAudio, { spoken, language = 'en', isSure = true }: Model) {
  const looks: LookOptions[] = [];
  const look = async (asked: LookOptions): Promise<LookReply> => {
    looks.push(asked);
    return lookAt(detector, { ...asked, pcmFile: audio.file }, async (_, { start, end }) => {
      const [from, to] = [start / SAMPLE_RATE, end / SAMPLE_RATE];
      const inside = spoken.filter((word) => word.start >= from - 0.01 && word.start < to);
      if (asked.by === 'language') return { words: [], tokens: 0, language: { code: language, isSure } };
      if (asked.by === 'whisper') {
        const words = inside.filter((word) => word.end <= to).map((word, index) => ({ ...word, tokens: [index] }));
        return { words: words.slice(asked.known.length), tokens: words.length, language: { code: language, isSure } };
      }
      const words: LiveWord[] = inside.slice(asked.known.length).map((word, index) => {
        const isHalf = word.end > to;
        return { ...word, text: isHalf ? `${word.text.slice(0, 2)}.` : word.text, tokens: [index] };
      });
      return { words, tokens: words.length };
    });
  };
  return { looks, look };
}

type Options = ListenOptions &
  Omit<Model, 'language'> & {
    seconds: number;
    hasLight?: boolean;
    spokenIn?: string;
    /** The light model cannot be used after so many looks. */
    lightLooks?: number;
    label?: ListenPorts['label'];
  };

async function listen({ spoken, seconds, hasLight = false, spokenIn, isSure, label, ...options }: Options) {
  let { lightLooks = Number.POSITIVE_INFINITY } = options;
  const audio = createLiveAudio(temporaryDir());
  const { looks, look: lookAlways } = modelOf(audio, {
    spoken,
    ...(spokenIn !== undefined && { language: spokenIn }),
    ...(isSure !== undefined && { isSure }),
  });
  const look = async (asked: LookOptions) => {
    if (asked.by === 'light' && lightLooks-- <= 0) throw new LightUnavailable();
    return lookAlways(asked);
  };
  const usage = { promptTokens: 0, completionTokens: 0 };
  const tally = {
    add(one: { promptTokens: number; completionTokens: number }) {
      usage.promptTokens += one.promptTokens;
      usage.completionTokens += one.completionTokens;
    },
    admit: () => undefined,
  };
  const ports = { audio, look, label, hasLight, toWire: (code: string) => code };
  const live = listenTo(ports, options, new AbortController().signal, tally);
  const parts: LivePart[] = [];
  const told: { text: string; at: number }[] = [];
  const sound = soundOf(spoken, seconds);
  let fed = 0;
  const reading = (async () => {
    for await (const some of live.parts)
      for (const part of some) {
        parts.push(part);
        if (part.kind === 'text') told.push({ text: part.text.trim(), at: fed / SAMPLE_RATE });
      }
  })();
  for (const step = SAMPLE_RATE / 10; fed < sound.length; fed += step) {
    await live.feed(sound.subarray(fed, fed + step));
    await settled(looks, audio);
  }
  await live.end();
  await reading;
  expect(existsSync(audio.file)).toBe(false);
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
  const segments = parts.flatMap((part) => (part.kind === 'segment' ? [part] : []));
  return { text, segments, told, looks, usage, parts };
}

/** Lets a look that is due come to its end: the file is read, which takes some turns of the event loop. */
async function settled(looks: LookOptions[], audio: LiveAudio): Promise<void> {
  const count = looks.length;
  for (let turn = 0; turn < 3 || (looks.length > count && turn < 40); turn++)
    await new Promise((resolve) => setImmediate(resolve));
  await audio.append(new Float32Array(0));
}

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six'];

describe('a live transcript', () => {
  it('tells each word once, some time after it was said and before the utterance ends', async () => {
    const { text, told, segments, parts } = await listen({ spoken: say(0, WORDS), seconds: 9 });
    expect(text).toBe(' one two three four five six');
    expect(told[0]?.at).toBeLessThan(4);
    expect(told.length).toBeGreaterThan(3);
    expect(segments).toEqual([{ kind: 'segment', text: WORDS.join(' '), start: 0, end: 5.9, score: 1 }]);
    expect(parts[0]).toEqual({ kind: 'language', language: 'en' });
    expect(parts.at(-1)).toEqual({ kind: 'end', seconds: 9 });
  });

  it('waits longer for its words where a longer delay is asked for', async () => {
    for (const hasLight of [false, true]) {
      const common = { spoken: say(0, WORDS), seconds: 7, hasLight, language: 'en' };
      const [quick, slow] = [await listen({ ...common, delayMs: 200 }), await listen({ ...common, delayMs: 3000 })];
      expect(quick.text).toBe(slow.text);
      expect((slow.told[0]?.at ?? 0) - (quick.told[0]?.at ?? 0)).toBeGreaterThanOrEqual(2);
    }
  });

  it('begins a new segment after a pause, and hears each part of the audio once it is complete', async () => {
    const spoken = [...say(0, ['a', 'b']), ...say(6, ['c', 'd'])];
    const { segments, looks, usage } = await listen({ spoken, seconds: 12 });
    expect(segments.map(({ text, start }) => [text, start])).toEqual([
      ['a b', 0],
      ['c d', 6],
    ]);
    expect(looks.at(-1)?.speech.at).toBeGreaterThan(8 * SAMPLE_RATE);
    expect(usage.promptTokens).toBe(12);
    expect(looks.filter(({ language }) => language === 'en').length).toBeGreaterThan(0);
  });

  it('of silence is empty, and all of it is billed', async () => {
    const { text, segments, usage, parts } = await listen({ spoken: [], seconds: 5 });
    expect({ text, segments, usage, parts }).toEqual({
      text: '',
      segments: [],
      usage: { promptTokens: 5, completionTokens: 0 },
      parts: [{ kind: 'end', seconds: 5 }],
    });
  });

  it('ends an utterance that has no pause, so that a look never costs more than some seconds of audio', async () => {
    // A tenth of a second between two words is no pause.
    const words = Array.from({ length: 20 }, (_, index) => `w${index}`);
    const spoken = say(0, words);
    for (const hasLight of [false, true]) {
      const { text, segments } = await listen({ spoken, seconds: 20, hasLight, language: 'en' });
      expect(text).toBe(spoken.map((word) => word.text).join(''));
      expect(segments.length).toBeGreaterThan(1);
      for (const { start, end } of segments) expect(end - start).toBeLessThan(17);
    }
  });

  it('tells all that it has at a flush, also where more audio has come since', async () => {
    const audio = createLiveAudio(temporaryDir());
    const spoken = say(0, ['one', 'two']);
    const { look } = modelOf(audio, { spoken });
    const ports = { audio, look, hasLight: false, toWire: (code: string) => code };
    const live = listenTo(ports, {}, new AbortController().signal, undefined);
    await live.feed(soundOf(spoken, 1.95));
    await live.flush();
    await live.feed(new Float32Array(800));
    const iterator = live.parts[Symbol.asyncIterator]();
    const { value } = await iterator.next();
    expect((value as LivePart[]).map(({ kind }) => kind)).toEqual(['language', 'text', 'segment']);
    await iterator.return?.();
  });

  it('tells of a turn when it begins and ends, and what is said in it stands between', async () => {
    const turnDetection = { startThreshold: 0.5, eagerEndThreshold: 0.5, endThreshold: 0.33, minSilenceMs: 500 };
    const spoken = [...say(1, ['a', 'b']), ...say(6, ['c'])];
    for (const language of ['en', undefined]) {
      const options = { spoken, seconds: 9, hasLight: true, turnDetection, ...(language && { language }) };
      const { parts } = await listen(options);
      const order = parts.flatMap((part) => {
        if (part.kind === 'turn') return [`${part.event} ${part.seconds.toFixed(1)}`];
        return part.kind === 'segment' ? [part.text] : [];
      });
      // That a turn is probably over is told before its last words are.
      expect(order.filter((one) => !one.startsWith('eager'))).toEqual([
        ...['start 1.0', 'a b', 'end 2.9'],
        ...['start 6.0', 'c', 'end 6.9'],
      ]);
      expect(order.filter((one) => one.startsWith('eager'))).toEqual(['eager_end 2.9', 'eager_end 6.9']);
      const firstText = parts.findIndex(({ kind }) => kind === 'text');
      expect(parts.findIndex(({ kind }) => kind === 'turn')).toBeLessThan(firstText);
    }
  });

  it('cuts an utterance where the speaker changes, and says who speaks', async () => {
    const asked: [number, number][] = [];
    const label: ListenPorts['label'] = async ({ words, ...utterance }, from, to) => {
      asked.push([Math.round(from / SAMPLE_RATE), Math.round(to / SAMPLE_RATE)]);
      const [first, ...others] = words;
      if (!first) return [];
      const rest = others.map(({ text }) => text).join('');
      return [
        { ...utterance, text: first.text, end: first.end, words: [first], speaker: 'Ann' },
        { ...utterance, text: rest, start: first.end, words: others, speaker: 'speaker_1' },
      ];
    };
    const { segments } = await listen({ spoken: say(1, ['one', 'two', 'three']), seconds: 6, label });
    expect(asked).toEqual([[1, 4]]);
    expect(segments.map(({ text, speaker }) => [speaker, text])).toEqual([
      ['Ann', 'one'],
      ['speaker_1', 'two three'],
    ]);
  });

  it('slows a client down that sends faster than the engine hears', async () => {
    const audio = createLiveAudio(temporaryDir());
    const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
    const look = async ({ to }: LookOptions) => {
      await heard;
      return { speech: { ...startFollowing(), at: to } };
    };
    const ports = { audio, look, hasLight: false, toWire: (code: string) => code };
    const live = listenTo(ports, {}, new AbortController().signal, undefined);
    const reading = (async () => {
      for await (const _ of live.parts);
    })();
    let isTaken = false;
    const fed = live.feed(new Float32Array(31 * SAMPLE_RATE)).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isTaken).toBe(false);
    hear();
    await fed;
    await live.end();
    await reading;
  });
});

describe('a live transcript with the light model', () => {
  const spoken = say(0.5, WORDS);

  it('tells English words sooner than Whisper does, and none that it has heard only by half', async () => {
    const light = await listen({ spoken, seconds: 9, hasLight: true, language: 'en' });
    const slow = await listen({ spoken, seconds: 9, language: 'en' });
    expect(light.text).toBe(' one two three four five six');
    expect(new Set(light.looks.map(({ by }) => by))).toEqual(new Set(['light']));
    const average = (told: { at: number }[]) => told.reduce((sum, { at }) => sum + at, 0) / told.length;
    expect(average(light.told)).toBeLessThan(average(slow.told));
    expect(light.segments.map(({ text }) => text)).toEqual([WORDS.join(' ')]);
    expect(light.usage.promptTokens).toBe(9);
  });

  it('goes on with Whisper where the light model cannot be used, and tells no word twice', async () => {
    for (const lightLooks of [0, 9]) {
      const { text, looks, segments } = await listen({
        spoken,
        seconds: 9,
        hasLight: true,
        language: 'en',
        lightLooks,
      });
      expect(text).toBe(' one two three four five six');
      expect(segments.map((segment) => segment.text)).toEqual([WORDS.join(' ')]);
      const by = looks.map((look) => look.by);
      expect(by.filter((ear) => ear === 'light')).toHaveLength(lightLooks);
      expect(by.lastIndexOf('light')).toBeLessThan(by.indexOf('whisper'));
    }
  });

  it('asks Whisper for the language first, and hears other languages by Whisper', async () => {
    const byOf = async (options: Partial<Options>) => {
      const { looks, text, parts } = await listen({ spoken, seconds: 8, hasLight: true, ...options });
      expect(text).toBe(' one two three four five six');
      const language = parts.find((part) => part.kind === 'language');
      return [...new Set(looks.filter(({ speech }) => speech.at > 0).map(({ by }) => by)), language?.language];
    };
    expect(await byOf({ spokenIn: 'en' })).toEqual(['language', 'light', 'en']);
    expect(await byOf({ spokenIn: 'fr' })).toEqual(['language', 'whisper', 'fr']);
    expect(await byOf({ language: 'fr' })).toEqual(['whisper', 'fr']);
    // Only Whisper can be told names.
    expect(await byOf({ language: 'en', contextBias: ['Siobhan'] })).toEqual(['whisper', 'en']);
    expect(await byOf({ spokenIn: 'en', isSure: false })).toEqual(['language', 'whisper', undefined]);
  });
});

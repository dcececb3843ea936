import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { type LookOptions, listenTo } from './listen.ts';
import { createLiveAudio } from './live-audio.ts';
import type { HeardWord, WhisperReply } from './protocol.ts';
import { type LivePart, SAMPLE_RATE } from './transcription-engine.ts';

const silence = (seconds: number) => new Float32Array(seconds * SAMPLE_RATE);

/** A word in each second from `start` on, as long as somebody speaks. */
function say(start: number, words: string[]): HeardWord[] {
  return words.map((text, index) => ({ text: ` ${text}`, start: start + index, end: start + index + 0.9, score: 1 }));
}

/** A model that hears these words as far as the audio goes. */
function modelOf(spoken: HeardWord[]) {
  const looks: LookOptions[] = [];
  const look = async (asked: LookOptions): Promise<WhisperReply> => {
    looks.push(asked);
    const [from, to] = [asked.from / SAMPLE_RATE, asked.to / SAMPLE_RATE];
    const inside = spoken.filter(({ start, end }) => start >= from - 0.01 && end <= to);
    // An utterance ends where two seconds are silent.
    const gap = inside.findIndex(({ end }, index) => (inside[index + 1]?.start ?? end) - end > 2);
    const words = gap < 0 ? inside : inside.slice(0, gap + 1);
    const [first, last] = [words[0], words.at(-1)];
    if (!first || !last) return { segments: [], tokens: 0, next: asked.to };
    const end = Math.round(last.end * SAMPLE_RATE);
    return {
      speech: { start: Math.round(first.start * SAMPLE_RATE), end },
      language: { code: 'en', isSure: true },
      segments: [{ text: words.map(({ text }) => text).join(''), start: first.start, end: last.end, score: 1, words }],
      tokens: words.length,
      next: end,
    };
  };
  return { looks, look };
}

async function listen(spoken: HeardWord[], seconds: number, delayMs?: number) {
  const audio = createLiveAudio(temporaryDir());
  const { looks, look } = modelOf(spoken);
  const usage = { promptTokens: 0, completionTokens: 0 };
  const tally = {
    add(one: { promptTokens: number; completionTokens: number }) {
      usage.promptTokens += one.promptTokens;
      usage.completionTokens += one.completionTokens;
    },
    admit: () => undefined,
  };
  const signal = new AbortController().signal;
  const live = listenTo(
    { audio, look, toWire: (code) => code },
    { ...(delayMs !== undefined && { delayMs }) },
    signal,
    tally,
  );
  const parts: LivePart[] = [];
  const told: { text: string; at: number }[] = [];
  const reading = (async () => {
    for await (const some of live.parts)
      for (const part of some) {
        parts.push(part);
        if (part.kind === 'text') told.push({ text: part.text.trim(), at: audio.length() / SAMPLE_RATE });
      }
  })();
  for (let second = 0; second < seconds; second += 0.5) {
    await live.feed(silence(0.5));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await live.end();
  await reading;
  expect(existsSync(audio.file)).toBe(false);
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
  const segments = parts.flatMap((part) => (part.kind === 'segment' ? [part] : []));
  return { text, segments, told, looks, usage, parts };
}

describe('a live transcript', () => {
  it('tells each word once, some time after it was said and before the utterance ends', async () => {
    const words = ['one', 'two', 'three', 'four', 'five', 'six'];
    const { text, told, segments, parts } = await listen(say(0, words), 9);
    expect(text).toBe(' one two three four five six');
    expect(told[0]?.at).toBeLessThan(4);
    expect(told.length).toBeGreaterThan(3);
    expect(segments).toEqual([{ kind: 'segment', text: words.join(' '), start: 0, end: 5.9, score: 1 }]);
    expect(parts[0]).toEqual({ kind: 'language', language: 'en' });
    expect(parts.at(-1)).toEqual({ kind: 'end', seconds: 9 });
  });

  it('waits longer for its words where a longer delay is asked for', async () => {
    const words = say(0, ['one', 'two', 'three', 'four', 'five', 'six']);
    const [quick, slow] = [await listen(words, 7, 200), await listen(words, 7, 3000)];
    expect(quick.text).toBe(slow.text);
    expect((slow.told[0]?.at ?? 0) - (quick.told[0]?.at ?? 0)).toBeGreaterThanOrEqual(2);
  });

  it('begins a new segment after a pause, and hears each part of the audio once it is complete', async () => {
    const { segments, looks, usage } = await listen([...say(0, ['a', 'b']), ...say(6, ['c', 'd'])], 12);
    expect(segments.map(({ text, start }) => [text, start])).toEqual([
      ['a b', 0],
      ['c d', 6],
    ]);
    expect(looks.at(-1)?.from).toBeGreaterThan(6 * SAMPLE_RATE);
    expect(usage.promptTokens).toBe(12);
    expect(looks.filter(({ language }) => language === 'en').length).toBeGreaterThan(0);
  });

  it('of silence is empty, and all of it is billed', async () => {
    const { text, segments, usage, parts } = await listen([], 5);
    expect({ text, segments, usage, parts }).toEqual({
      text: '',
      segments: [],
      usage: { promptTokens: 5, completionTokens: 0 },
      parts: [{ kind: 'end', seconds: 5 }],
    });
  });

  it('tells all that it has at a flush', async () => {
    const audio = createLiveAudio(temporaryDir());
    const { look } = modelOf(say(0, ['one', 'two']));
    const live = listenTo({ audio, look, toWire: (code) => code }, {}, new AbortController().signal, undefined);
    await live.feed(silence(1.95));
    await live.flush();
    const iterator = live.parts[Symbol.asyncIterator]();
    const { value } = await iterator.next();
    expect((value as LivePart[]).map(({ kind }) => kind)).toEqual(['language', 'text', 'segment']);
    await iterator.return?.();
  });

  it('slows a client down that sends faster than the engine hears', async () => {
    const audio = createLiveAudio(temporaryDir());
    const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
    const look = async ({ to }: LookOptions) => {
      await heard;
      return { segments: [], tokens: 0, next: to };
    };
    const live = listenTo({ audio, look, toWire: (code) => code }, {}, new AbortController().signal, undefined);
    const reading = (async () => {
      for await (const _ of live.parts);
    })();
    let isTaken = false;
    const fed = live.feed(silence(31)).then(() => {
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

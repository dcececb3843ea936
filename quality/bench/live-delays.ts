import { setTimeout as sleep } from 'node:timers/promises';
import { SAMPLE_RATE, type TranscriptionEngine } from '../../src/engines/transcribe/index.ts';

/** How a microphone's sound comes. */
const PIECE_SECONDS = 0.1;

/** A word and the second of the audio in which it ends. */
export type SpokenWord = { text: string; end: number };

/** What one session heard, and how long after it was said each word came; words that were heard wrong have no delay. */
export type LiveResult = { text: string; delaysMs: number[]; words: number };

/** Plays the audio to a live session as fast as somebody speaks. */
export async function playLive(
  engine: TranscriptionEngine,
  samples: Float32Array,
  spoken: readonly SpokenWord[],
  options: { language?: string },
): Promise<LiveResult> {
  const transcript = await engine.listen?.(options, new AbortController().signal);
  if (!transcript) throw new Error('the engine does not listen');
  const startedAt = performance.now();
  const told: { text: string; atMs: number }[] = [];
  let text = '';
  const reading = (async () => {
    for await (const parts of transcript.parts)
      for (const part of parts)
        if (part.kind === 'text') {
          text += part.text;
          const atMs = performance.now() - startedAt;
          for (const word of wordsOf(part.text)) told.push({ text: word, atMs });
        }
  })();
  const step = PIECE_SECONDS * SAMPLE_RATE;
  for (let at = 0; at < samples.length; at += step) {
    const piece = samples.subarray(at, at + step);
    await sleep(Math.max(0, startedAt + ((at + piece.length) / SAMPLE_RATE) * 1000 - performance.now()));
    await transcript.feed(piece);
  }
  await transcript.end();
  await reading;
  const delaysMs = alignWords(
    spoken.map((word) => plain(word.text)),
    told.map((word) => word.text),
  ).map(([said, heard]) => (told[heard]?.atMs ?? 0) - (spoken[said]?.end ?? 0) * 1000);
  return { text: text.trim(), delaysMs, words: spoken.length };
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).map(plain).filter(Boolean);
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Pairs of places of equal words, in their order: as many as possible. */
export function alignWords(first: readonly string[], second: readonly string[]): [number, number][] {
  const longest = Array.from({ length: first.length + 1 }, () => new Uint16Array(second.length + 1));
  const at = (i: number, j: number) => longest[i]?.[j] ?? 0;
  for (let i = first.length - 1; i >= 0; i--)
    for (let j = second.length - 1; j >= 0; j--)
      (longest[i] as Uint16Array)[j] =
        first[i] === second[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < first.length && j < second.length; ) {
    if (first[i] === second[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

import type { Tally } from '../tally.ts';
import type { LiveAudio } from './live-audio.ts';
import type { HeardSegment, HeardWord, WhisperReply } from './protocol.ts';
import { type ListenOptions, type LivePart, type LiveTranscript, SAMPLE_RATE } from './transcription-engine.ts';

/** So much new audio is worth another look; the model pays for half a minute at each. */
const STEP_SAMPLES = SAMPLE_RATE;
/** A pause after which an utterance is complete. */
const PAUSE_SAMPLES = Math.round(0.6 * SAMPLE_RATE);
/** What is kept before speech begins, so that its first sound is not lost. */
const LEAD_SAMPLES = Math.round(0.5 * SAMPLE_RATE);
/** A client that is so far ahead of the engine waits. */
const BEHIND_SAMPLES = 30 * SAMPLE_RATE;
/** The last words of an utterance that goes on often change with the next ones. */
const DELAY_MS = 900;
const DELAY_MS_MIN = 200;

export type LookOptions = { from: number; to: number; language: string | undefined; isContinued: boolean };

export type ListenPorts = {
  audio: LiveAudio;
  /** One pass of the model over a part of the audio. */
  look(look: LookOptions): Promise<WhisperReply>;
  toWire(language: string): string | null;
};

/**
 * Follows audio that grows. It looks at the utterance that is being spoken again and again and tells its words once enough
 * audio followed them; after a pause the utterance is complete and the next one begins.
 */
export function listenTo(
  { audio, look, toWire }: ListenPorts,
  { language, delayMs = DELAY_MS }: ListenOptions,
  signal: AbortSignal,
  tally: Tally | undefined,
): LiveTranscript {
  const heldBack = Math.max(delayMs, DELAY_MS_MIN) / 1000;
  let from = 0;
  let lookedAt = 0;
  let flushAt = 0;
  let isOver = false;
  let known = language;
  let isToldLanguage = false;
  /** Words up to here are told, in seconds. */
  let toldUntil = 0;
  let utterance: HeardWord[] = [];
  let billed = 0;
  let wake: (() => void) | undefined;
  let wakeFeeder: (() => void) | undefined;
  signal.addEventListener('abort', () => notify(), { once: true });

  function notify(): void {
    wake?.();
    wakeFeeder?.();
  }

  const isDue = () => {
    const length = audio.length();
    return length > from && (isOver || flushAt > lookedAt || length - lookedAt >= STEP_SAMPLES);
  };

  /** Words that are new and, while the utterance goes on, far enough from its end. */
  function tell(words: HeardWord[], until: number): LivePart[] {
    const fresh = words.filter(({ start, end }) => (start + end) / 2 >= toldUntil && end <= until);
    const last = fresh.at(-1);
    if (!last) return [];
    toldUntil = Math.max(toldUntil, last.end);
    utterance.push(...fresh);
    return [{ kind: 'text', text: fresh.map(({ text }) => text).join('') }];
  }

  function complete(): LivePart[] {
    const [first, last] = [utterance[0], utterance.at(-1)];
    if (!first || !last) return [];
    const text = utterance
      .map((word) => word.text)
      .join('')
      .trim();
    const score = utterance.reduce((sum, word) => sum + word.score, 0) / utterance.length;
    utterance = [];
    return [{ kind: 'segment', text, start: round(first.start), end: round(last.end), score: round(score) }];
  }

  function bill(tokens: number): void {
    const seconds = Math.ceil(from / SAMPLE_RATE);
    if (seconds > billed || tokens > 0) tally?.add({ promptTokens: seconds - billed, completionTokens: tokens });
    billed = seconds;
  }

  async function next(): Promise<LivePart[]> {
    const to = audio.length();
    const isFinal = isOver || flushAt >= to;
    const reply = await look({ from, to, language: known, isContinued: lookedAt > 0 });
    lookedAt = to;
    const { speech } = reply;
    const parts: LivePart[] = [];
    if (!speech) {
      parts.push(...complete());
      from = isFinal ? to : Math.max(from, to - LEAD_SAMPLES);
      bill(0);
      return parts;
    }
    if (reply.language && !isToldLanguage && reply.segments.length > 0) {
      parts.push({ kind: 'language', language: toWire(language ?? reply.language.code) });
      isToldLanguage = true;
    }
    if (reply.language?.isSure) known ??= reply.language.code;
    const isComplete = isFinal || reply.next + PAUSE_SAMPLES <= to;
    const words = reply.segments.flatMap(wordsOf);
    parts.push(...tell(words, isComplete ? Number.POSITIVE_INFINITY : to / SAMPLE_RATE - heldBack));
    if (isComplete) {
      parts.push(...complete());
      from = isFinal && reply.next + PAUSE_SAMPLES > to ? to : reply.next;
      // More may have been said after the pause.
      if (from < to && isFinal) lookedAt = from;
      bill(reply.tokens);
    }
    return parts;
  }

  async function* read(): AsyncGenerator<LivePart[]> {
    try {
      for (;;) {
        signal.throwIfAborted();
        if (isDue()) {
          const parts = await next();
          wakeFeeder?.();
          if (parts.length > 0) yield parts;
        } else if (isOver) break;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      yield [{ kind: 'end', seconds: audio.length() / SAMPLE_RATE }];
    } finally {
      isOver = true;
      notify();
      await audio.discard();
    }
  }

  return {
    async feed(samples) {
      if (samples.length === 0 || isOver) return;
      await audio.append(samples);
      wake?.();
      while (audio.length() - lookedAt > BEHIND_SAMPLES && !isOver && !signal.aborted)
        await new Promise<void>((resolve) => {
          wakeFeeder = resolve;
        });
    },
    async flush() {
      flushAt = audio.length();
      wake?.();
    },
    async end() {
      isOver = true;
      wake?.();
    },
    parts: read(),
  };
}

/** A model may find no times for words; then the segment is one. */
function wordsOf({ text, start, end, score, words }: HeardSegment): HeardWord[] {
  return words.length > 0 ? words : [{ text, start, end, score }];
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

import type { Tally } from '../tally.ts';
import type { LiveAudio } from './live-audio.ts';
import type { HeardSegment, LiveWord, LookReply } from './protocol.ts';
import type { LabelledSegment } from './speakers/label-segments.ts';
import { tellByAgreement, tellByTime } from './tell-words.ts';
import {
  type ListenOptions,
  type LivePart,
  type LiveTranscript,
  SAMPLE_RATE,
  type TurnPart,
} from './transcription-engine.ts';
import { type FollowedSpeech, startFollowing } from './vad/follow-speech.ts';

/** So much new audio is worth another look. */
const STEP_SAMPLES = { light: 0.3 * SAMPLE_RATE, whisper: 0.8 * SAMPLE_RATE, language: 0.5 * SAMPLE_RATE };
/** Who waits for turns wants to know soon that one begins or ends; without speech a look costs next to nothing. */
const TURN_STEP_SAMPLES = 0.2 * SAMPLE_RATE;
/** Where the language is still in doubt after so much speech, Whisper goes on without knowing it. */
const DOUBT_SAMPLES = 3 * SAMPLE_RATE;
/** A client that is so far ahead of the engine waits. */
const BEHIND_SAMPLES = 30 * SAMPLE_RATE;

/** Who hears: the light model knows only English, and before that the language must be known. */
export type Ear = 'light' | 'whisper' | 'language';

export type LookOptions = {
  by: Ear;
  to: number;
  isFinal: boolean;
  speech: FollowedSpeech;
  heardUntil: number;
  language: string | undefined;
  known: number[];
  isContinued: boolean;
};

/** The light model cannot be used now. */
export class LightUnavailable extends Error {}

export type ListenPorts = {
  audio: LiveAudio;
  /** Follows the audio up to `to` and hears the utterance that is being spoken. */
  look(look: LookOptions): Promise<LookReply>;
  /** Cuts an utterance where the speaker changes, where speakers are to be told apart. */
  label?: ((utterance: HeardSegment, from: number, to: number) => Promise<LabelledSegment[]>) | undefined;
  /** Whether the light model is at hand. */
  hasLight: boolean;
  toWire(language: string): string | null;
};

/**
 * Follows audio that grows. It looks at the utterance that is being spoken again and again and tells its words once they are
 * stable; after a pause the utterance is complete and the next one begins.
 */
export function listenTo(
  { audio, look, label, hasLight, toWire }: ListenPorts,
  { language, delayMs, contextBias = [], turnDetection }: ListenOptions,
  signal: AbortSignal,
  tally: Tally | undefined,
): LiveTranscript {
  // Only Whisper can be told what is likely to be said.
  let isLight = hasLight && contextBias.length === 0;
  const byTime = tellByTime(delayMs);
  const byAgreement = tellByAgreement(delayMs);
  const tellerOf = (by: Ear) => (by === 'light' ? byAgreement : byTime);
  let speech = startFollowing(turnDetection);
  let ear: Ear | undefined;
  let heardUntil = 0;
  let lookedAt = 0;
  let flushAt = 0;
  /** What was said before it is told. */
  let finishedAt = 0;
  let isOver = false;
  let known = language;
  let isToldLanguage = false;
  let utterance: LiveWord[] = [];
  let tokens = 0;
  let billed = 0;
  let wake: (() => void) | undefined;
  let wakeFeeder: (() => void) | undefined;
  signal.addEventListener('abort', () => notify(), { once: true });

  function notify(): void {
    wake?.();
    wakeFeeder?.();
  }

  /** For a whole utterance: each model tells its words in its own way. */
  function chooseEar(): Ear {
    if (!isLight) return 'whisper';
    if (known === undefined) return 'language';
    return known === 'en' ? 'light' : 'whisper';
  }

  const isDue = () => {
    const length = audio.length();
    if (isOver) return length > finishedAt;
    const isIdle = turnDetection !== undefined && !speech.isSpeaking;
    const step = STEP_SAMPLES[ear ?? chooseEar()];
    return flushAt > finishedAt || length - lookedAt >= (isIdle ? Math.min(step, TURN_STEP_SAMPLES) : step);
  };

  function tell(words: LiveWord[]): LivePart[] {
    if (words.length === 0) return [];
    utterance.push(...words);
    const parts: LivePart[] = [{ kind: 'text', text: words.map(({ text }) => text).join('') }];
    if (isToldLanguage) return parts;
    isToldLanguage = true;
    const code = language ?? known;
    return code === undefined ? parts : [{ kind: 'language', language: toWire(code) }, ...parts];
  }

  async function complete(): Promise<LivePart[]> {
    const [first, last] = [utterance[0], utterance.at(-1)];
    if (!first || !last) return [];
    const text = utterance.map((word) => word.text).join('');
    const score = utterance.reduce((sum, word) => sum + word.score, 0) / utterance.length;
    const whole: HeardSegment = { text, start: first.start, end: last.end, score, words: utterance };
    utterance = [];
    const { start = 0, end } = speech;
    const segments: (HeardSegment | LabelledSegment)[] = label ? await label(whole, start, end) : [whole];
    return segments.map(toSegment);
  }

  function bill(): void {
    const seconds = Math.ceil(speech.at / SAMPLE_RATE);
    if (seconds > billed || tokens > 0) tally?.add({ promptTokens: seconds - billed, completionTokens: tokens });
    billed = seconds;
    tokens = 0;
  }

  /** Which model goes on with the utterance; undefined while more of it must be heard. */
  function decide({ speech: { start = 0, end, isOver: isComplete }, heard }: LookReply): Ear | undefined {
    if (heard?.language?.isSure) {
      known = heard.language.code;
      return chooseEar();
    }
    return isComplete || end - start >= DOUBT_SAMPLES ? 'whisper' : undefined;
  }

  async function next(): Promise<LivePart[]> {
    const isAsked = flushAt > finishedAt;
    const isFinal = isOver || isAsked;
    const to = isAsked ? flushAt : audio.length();
    const by = ear ?? chooseEar();
    const asked: LookOptions = {
      ...{ by, to, isFinal, speech, heardUntil, language: known },
      known: tellerOf(by).known(),
      isContinued: speech.at > 0,
    };
    const reply = await look(asked).catch((error: unknown) => {
      if (by !== 'light' || !(error instanceof LightUnavailable)) throw error;
      goOnWithoutLight();
      return look({ ...asked, by: 'whisper', heardUntil, known: [] });
    });
    if (by === 'language' && reply.speech.start !== undefined) {
      ear = decide(reply);
      // The model that was chosen looks at the same audio at once.
      if (!ear) lookedAt = to;
      return [];
    }
    speech = reply.speech;
    // After the end of an utterance the rest of the audio is due at once.
    lookedAt = isFinal || speech.isOver ? speech.at : to;
    if (isFinal && speech.at >= to) finishedAt = to;
    const turns = speech.turns?.events ?? [];
    if (speech.start === undefined) {
      bill();
      return turns;
    }
    ear = isLight || by !== 'light' ? by : 'whisper';
    if (reply.heard) {
      heardUntil = speech.end;
      tokens = reply.heard.tokens;
      if (reply.heard.language?.isSure) known ??= reply.heard.language.code;
    }
    const parts = tell(tellerOf(ear).fresh(reply.heard?.words, speech));
    if (!speech.isOver) return around(turns, parts);
    ear = undefined;
    bill();
    return around(turns, [...parts, ...(await complete())]);
  }

  /** Whisper hears the utterance from its beginning; words that were told are not told again. */
  function goOnWithoutLight(): void {
    isLight = false;
    heardUntil = 0;
    byTime.skipTo(utterance.at(-1)?.end ?? 0);
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

/** What is said in a turn stands between its begin and its end. */
function around(turns: readonly TurnPart[], parts: readonly LivePart[]): LivePart[] {
  const begin = turns.findLastIndex(({ event }) => event === 'start') + 1;
  return [...turns.slice(0, begin), ...parts, ...turns.slice(begin)];
}

function toSegment(segment: HeardSegment | LabelledSegment): LivePart {
  const { text, start, end, score } = segment;
  const who = 'speaker' in segment && segment.speaker !== undefined ? { speaker: segment.speaker } : {};
  return { kind: 'segment', text: text.trim(), start: round(start), end: round(end), score: round(score), ...who };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

import { z } from 'zod';
import { engineErrors } from '../errors.ts';
import type { TranscriptPart } from '../transcribe/transcription-engine.ts';
import { LANGUAGES, wireLanguage } from '../transcribe/whisper/languages.ts';
import { TOKENS_MAX } from './limits.ts';

/** Longer than any recording: such a length is a mistake or a lie. */
const SECONDS_MAX = 7 * 24 * 3600;
/** Of servers that bill by tokens and say no length. */
const AUDIO_TOKENS_PER_SECOND = 10;
/** Fast speech, for servers that say nothing about the audio. */
const CHARACTERS_PER_SECOND = 20;

const seconds = z.number().min(0).max(SECONDS_MAX).catch(0);
const score = z.number().nullable().optional().catch(undefined);

export const Segment = z.object({
  text: z.string(),
  start: seconds,
  end: seconds,
  score,
  avg_logprob: score,
  speaker_id: z.string().nullable().optional().catch(undefined),
  speaker: z.string().nullable().optional().catch(undefined),
});
type Segment = z.infer<typeof Segment>;

/** What a server says of the whole, also at the end of a stream. */
export const Answer = z.object({
  text: z.string(),
  language: z.string().nullable().optional().catch(null),
  duration: z.coerce.number().min(0).max(SECONDS_MAX).optional().catch(undefined),
  segments: z.array(Segment).nullable().optional().catch([]),
  words: z
    .array(z.object({ word: z.string(), start: seconds, end: seconds }))
    .nullable()
    .optional()
    .catch([]),
  usage: z
    .object({
      prompt_audio_seconds: z.number().min(0).max(SECONDS_MAX).nullable().optional().catch(undefined),
      seconds: z.number().min(0).max(SECONDS_MAX).optional().catch(undefined),
      input_token_details: z
        .object({ audio_tokens: z.number().min(1).max(SECONDS_MAX).optional().catch(undefined) })
        .nullable()
        .optional()
        .catch(undefined),
      completion_tokens: z.int().min(0).max(TOKENS_MAX).nullable().optional().catch(undefined),
    })
    .nullable()
    .optional()
    .catch(undefined),
});

export type Answer = z.infer<typeof Answer>;

const NAMES = new Intl.DisplayNames('en', { type: 'language' });
const CODES = new Map(LANGUAGES.map((code) => [NAMES.of(code)?.toLowerCase() ?? code, code]));

export type ReadTranscript = { parts: TranscriptPart[]; seconds: number; outputTokens: number };

/** A whole transcript, as OpenAI's, Mistral's or a compatible server sends it. */
export function readTranscript(body: Record<string, unknown>, hasWords: boolean): ReadTranscript {
  const answer = parseAnswer(body);
  const { seconds: length, outputTokens } = measure(answer, answer.text);
  return {
    seconds: length,
    outputTokens,
    parts: [
      { kind: 'audio', seconds: length },
      { kind: 'language', language: languageOf(answer.language) },
      ...timedParts(answer, hasWords),
      { kind: 'text', text: answer.text },
      { kind: 'end', outputTokens },
    ],
  };
}

export function parseAnswer(body: Record<string, unknown>): Answer {
  const parsed = Answer.safeParse(body);
  if (!parsed.success) throw engineErrors.upstream_invalid_response();
  return parsed.data;
}

/** How long the audio was, and how much was written. */
export function measure(
  { usage, duration, segments }: Answer,
  text: string,
): { seconds: number; outputTokens: number } {
  const tokens = usage?.input_token_details?.audio_tokens;
  const length =
    usage?.prompt_audio_seconds ??
    usage?.seconds ??
    duration ??
    segments?.at(-1)?.end ??
    (tokens === undefined ? Math.ceil(text.length / CHARACTERS_PER_SECOND) : tokens / AUDIO_TOKENS_PER_SECOND);
  return { seconds: length, outputTokens: usage?.completion_tokens ?? Math.ceil(text.length / 4) };
}

export function timedParts({ segments, words }: Answer, hasWords: boolean): TranscriptPart[] {
  // Mistral's server sends words as segments.
  const kind = hasWords && !words?.length ? 'word' : 'segment';
  return [
    ...(segments ?? []).map((segment) => toTimed(segment, kind)),
    ...(words ?? []).map(({ word, start, end }) => ({ kind: 'word' as const, text: word.trim(), start, end })),
  ];
}

export function toTimed(segment: Segment, kind: 'segment' | 'word'): TranscriptPart {
  const { text, start, end } = segment;
  return { kind, text: text.trim(), start, end, ...scoreOf(segment), ...speakerOf(segment) };
}

function scoreOf({ score: given, avg_logprob }: Segment): { score?: number } {
  if (given != null) return { score: given };
  return avg_logprob != null ? { score: Math.exp(Math.min(0, avg_logprob)) } : {};
}

function speakerOf({ speaker_id, speaker }: Segment): { speaker?: string } {
  const name = speaker_id ?? speaker;
  return name == null ? {} : { speaker: name };
}

/** OpenAI's server sends a name. */
export function languageOf(given: string | null | undefined): string | null {
  if (given == null) return null;
  const lower = given.toLowerCase();
  if (/^[a-z]{2}$/.test(lower)) return lower;
  return wireLanguage(CODES.get(lower) ?? lower.slice(0, 3));
}

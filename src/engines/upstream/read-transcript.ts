import { z } from 'zod';
import { engineErrors } from '../errors.ts';
import type { TranscriptPart } from '../transcribe/transcription-engine.ts';
import { LANGUAGES, wireLanguage } from '../transcribe/whisper/languages.ts';

const seconds = z.number().min(0).catch(0);
const score = z.number().nullable().optional().catch(undefined);

const Segment = z.object({
  text: z.string(),
  start: seconds,
  end: seconds,
  score,
  avg_logprob: score,
  speaker_id: z.string().nullable().optional().catch(undefined),
  speaker: z.string().nullable().optional().catch(undefined),
});

const Answer = z.object({
  text: z.string(),
  language: z.string().nullable().optional().catch(null),
  duration: z.coerce.number().min(0).optional().catch(undefined),
  segments: z.array(Segment).nullable().optional().catch([]),
  words: z
    .array(z.object({ word: z.string(), start: seconds, end: seconds }))
    .nullable()
    .optional()
    .catch([]),
  usage: z
    .object({
      prompt_audio_seconds: z.number().nullable().optional().catch(undefined),
      seconds: z.number().optional().catch(undefined),
      completion_tokens: z.int().min(0).nullable().optional().catch(undefined),
    })
    .nullable()
    .optional()
    .catch(undefined),
});

const NAMES = new Intl.DisplayNames('en', { type: 'language' });
const CODES = new Map(LANGUAGES.map((code) => [NAMES.of(code)?.toLowerCase() ?? code, code]));

export type ReadTranscript = { parts: TranscriptPart[]; seconds: number; outputTokens: number };

/** A whole transcript, as OpenAI's, Mistral's or a compatible server sends it. */
export function readTranscript(body: Record<string, unknown>, hasWords: boolean): ReadTranscript {
  const parsed = Answer.safeParse(body);
  if (!parsed.success) throw engineErrors.upstream_invalid_response();
  const { text, language, segments, words, usage, duration } = parsed.data;
  const known = segments ?? [];
  const length = usage?.prompt_audio_seconds ?? usage?.seconds ?? duration ?? known.at(-1)?.end ?? 0;
  const outputTokens = usage?.completion_tokens ?? Math.ceil(text.length / 4);
  const timed: TranscriptPart[] = known.map((segment) => ({
    // Mistral's server sends words as segments.
    kind: hasWords && !words?.length ? 'word' : 'segment',
    text: segment.text.trim(),
    start: segment.start,
    end: segment.end,
    ...scoreOf(segment),
    ...speakerOf(segment),
  }));
  return {
    seconds: length,
    outputTokens,
    parts: [
      { kind: 'audio', seconds: length },
      { kind: 'language', language: languageOf(language) },
      ...timed,
      ...(words ?? []).map(({ word, start, end }) => ({ kind: 'word' as const, text: word.trim(), start, end })),
      { kind: 'text', text },
      { kind: 'end', outputTokens },
    ],
  };
}

function scoreOf({ score: given, avg_logprob }: z.infer<typeof Segment>): { score?: number } {
  if (given != null) return { score: given };
  return avg_logprob != null ? { score: Math.exp(Math.min(0, avg_logprob)) } : {};
}

function speakerOf({ speaker_id, speaker }: z.infer<typeof Segment>): { speaker?: string } {
  const name = speaker_id ?? speaker;
  return name == null ? {} : { speaker: name };
}

/** OpenAI's server sends a name. */
function languageOf(given: string | null | undefined): string | null {
  if (given == null) return null;
  const lower = given.toLowerCase();
  if (/^[a-z]{2}$/.test(lower)) return lower;
  return wireLanguage(CODES.get(lower) ?? lower.slice(0, 3));
}

import { z } from 'zod';
import { GuardrailConfig, GuardrailResult } from '../guardrails/index.ts';
import { queryBool, queryNumber, queryRepeated } from '../kit/http/index.ts';
import { UsageInfo } from '../metering/index.ts';

const ADDRESS_CHARACTERS_MAX = 2083;
const BIAS_WORDS_MAX = 100;
const PROMPT_CHARACTERS_MAX = 8192;
const REFERENCES_MAX = 16;
const GUARDRAILS_MAX = 16;

const language = z.string().regex(/^\w{2}$/, 'this must be a language code of two letters, such as en');

export const TimestampGranularity = z.enum(['segment', 'word']).meta({ id: 'TimestampGranularity' });

/** A form carries it as text. */
const SpeakerReferences = z
  .preprocess(
    (given) => (typeof given === 'string' ? parseJson(given) : given),
    z.record(z.string().min(1).max(128), z.string().min(1)),
  )
  .refine((given) => Object.keys(given).length <= REFERENCES_MAX, {
    error: `this may have at most ${REFERENCES_MAX} speakers`,
  })
  .meta({ maxProperties: REFERENCES_MAX });

const Guardrails = z.preprocess(
  (given) => (typeof given === 'string' ? parseJson(given) : given),
  z.array(GuardrailConfig).max(GUARDRAILS_MAX),
);

/** Fields of a form or of JSON, so numbers and booleans may be text. The description leaves the object open. */
export const AudioTranscriptionRequest = z
  .object({
    model: z.string().max(512),
    file_url: z
      .url({ protocol: /^https?$/ })
      .max(ADDRESS_CHARACTERS_MAX)
      .nullable()
      .optional(),
    file_id: z.string().max(64).nullable().optional(),
    language: language.nullable().optional(),
    temperature: queryNumber().min(0).max(1.5).nullable().optional(),
    stream: queryBool().default(false),
    diarize: queryBool().default(false),
    context_bias: queryRepeated(
      z
        .string()
        .regex(/^[^,\s]+$/)
        .max(64),
    )
      .max(BIAS_WORDS_MAX)
      .default([]),
    speaker_references: SpeakerReferences.nullable().optional(),
    timestamp_granularities: queryRepeated(TimestampGranularity).max(2).optional(),
    /** As in a chat; what is spoken is checked before it is told. */
    guardrails: Guardrails.nullable().optional(),
    /** The next two are those of OpenAI's clients. */
    prompt: z.string().max(PROMPT_CHARACTERS_MAX).nullable().optional(),
    response_format: z.enum(['json', 'text', 'srt', 'vtt', 'verbose_json']).nullable().optional(),
  })
  .meta({ id: 'AudioTranscriptionRequest' });
export type AudioTranscriptionRequest = z.infer<typeof AudioTranscriptionRequest>;

const seconds = z.number();

export const TranscriptionSegmentChunk = z
  .strictObject({
    type: z.literal('transcription_segment').default('transcription_segment'),
    text: z.string(),
    start: seconds,
    end: seconds,
    score: z.number().nullable().optional(),
    speaker_id: z.string().nullable().optional(),
  })
  .meta({ id: 'TranscriptionSegmentChunk' });
export type TranscriptionSegmentChunk = z.infer<typeof TranscriptionSegmentChunk>;

const responseFields = {
  model: z.string(),
  text: z.string(),
  language: language.nullable(),
  segments: z.array(TranscriptionSegmentChunk).optional(),
  usage: UsageInfo,
};

export const TranscriptionResponse = z
  .strictObject({
    ...responseFields,
    /** With `response_format` `verbose_json`. */
    task: z.literal('transcribe').optional(),
    duration: seconds.optional(),
    /** Where the request has guardrails. */
    guardrails: z.array(GuardrailResult).optional(),
  })
  .meta({ id: 'TranscriptionResponse' });
export type TranscriptionResponse = z.infer<typeof TranscriptionResponse>;

const TranscriptionStreamTextDelta = z
  .strictObject({ type: z.literal('transcription.text.delta').default('transcription.text.delta'), text: z.string() })
  .meta({ id: 'TranscriptionStreamTextDelta' });

const TranscriptionStreamLanguage = z
  .strictObject({
    type: z.literal('transcription.language').default('transcription.language'),
    audio_language: language,
  })
  .meta({ id: 'TranscriptionStreamLanguage' });

const TranscriptionStreamSegmentDelta = z
  .strictObject({
    type: z.literal('transcription.segment').default('transcription.segment'),
    text: z.string(),
    start: seconds,
    end: seconds,
    speaker_id: z.string().nullable().default(null),
  })
  .meta({ id: 'TranscriptionStreamSegmentDelta' });

const TranscriptionStreamDone = z
  .strictObject({
    ...responseFields,
    type: z.literal('transcription.done').default('transcription.done'),
    guardrails: z.array(GuardrailResult).optional(),
  })
  .meta({ id: 'TranscriptionStreamDone' });

const TranscriptionStreamEventTypes = z
  .enum(['transcription.language', 'transcription.segment', 'transcription.text.delta', 'transcription.done'])
  .meta({ id: 'TranscriptionStreamEventTypes' });

export const TranscriptionStreamEvents = z
  .strictObject({
    event: TranscriptionStreamEventTypes,
    data: z.discriminatedUnion('type', [
      TranscriptionStreamTextDelta,
      TranscriptionStreamLanguage,
      TranscriptionStreamSegmentDelta,
      TranscriptionStreamDone,
    ]),
  })
  .meta({ id: 'TranscriptionStreamEvents' });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

import { z } from 'zod';
import { MODEL_CHARACTERS_MAX } from '../../chat/index.ts';
import { queryBool, queryNumber, queryRepeated } from '../../kit/http/index.ts';

const SPEAKERS_MAX = 16;
const PROMPT_CHARACTERS_MAX = 8192;

/** The fields of a form beside the file. */
export const OpenAiTranscriptionRequest = z
  .strictObject({
    model: z.string().min(1).max(MODEL_CHARACTERS_MAX),
    language: z
      .string()
      .regex(/^\w{2}$/, 'this must be a language code of two letters, such as en')
      .optional(),
    prompt: z.string().max(PROMPT_CHARACTERS_MAX).optional(),
    response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).default('json'),
    temperature: queryNumber().min(0).max(1).optional(),
    timestamp_granularities: queryRepeated(z.enum(['word', 'segment']))
      .max(2)
      .optional(),
    stream: queryBool().default(false),
    /** A hint: windows are cut at silence here. */
    chunking_strategy: z.string().max(1024).optional(),
    include: queryRepeated(z.string().max(64)).max(4).optional(),
    known_speaker_names: queryRepeated(z.string().min(1).max(128)).max(SPEAKERS_MAX).optional(),
    known_speaker_references: queryRepeated(z.string().min(1)).max(SPEAKERS_MAX).optional(),
  })
  .meta({ id: 'OpenAiTranscriptionRequest' });
export type OpenAiTranscriptionRequest = z.infer<typeof OpenAiTranscriptionRequest>;

/** Whatever it asks for is refused in one sentence. */
export const OpenAiTranslationRequest = z
  .looseObject({ model: z.string().max(MODEL_CHARACTERS_MAX).optional() })
  .meta({ id: 'OpenAiTranslationRequest' });

const usage = z.object({ type: z.literal('duration'), seconds: z.int() });
const times = { start: z.number(), end: z.number() };

const Word = z.object({ word: z.string(), ...times });

const Segment = z.object({
  id: z.int(),
  seek: z.int(),
  ...times,
  text: z.string(),
  tokens: z.array(z.int()),
  temperature: z.number(),
  avg_logprob: z.number(),
  compression_ratio: z.number(),
  no_speech_prob: z.number(),
});

const DiarizedSegment = z.object({
  type: z.literal('transcript.text.segment'),
  id: z.string(),
  ...times,
  text: z.string(),
  speaker: z.string(),
});

/** In all forms that are JSON. */
export const OpenAiTranscription = z
  .object({
    text: z.string(),
    usage,
    task: z.literal('transcribe').optional(),
    language: z.string().optional(),
    duration: z.number().optional(),
    segments: z.array(z.union([Segment, DiarizedSegment])).optional(),
    words: z.array(Word).optional(),
  })
  .meta({ id: 'OpenAiTranscription' });
export type OpenAiTranscription = z.infer<typeof OpenAiTranscription>;

export const OpenAiTranscriptionEvent = z
  .object({
    data: z.object({
      type: z.enum(['transcript.text.delta', 'transcript.text.segment', 'transcript.text.done']),
      delta: z.string().optional(),
      text: z.string().optional(),
      id: z.string().optional(),
      start: z.number().optional(),
      end: z.number().optional(),
      speaker: z.string().optional(),
      usage: usage.optional(),
    }),
  })
  .meta({ id: 'OpenAiTranscriptionEvent' });

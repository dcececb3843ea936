import { z } from 'zod';

export const formats = ['pcm', 'wav', 'mp3', 'flac', 'opus'] as const;
export type Format = (typeof formats)[number];

/** A book of a few hundred pages is some 500,000 characters; a chapter fits. */
export const INPUT_CHARACTERS_MAX = 200_000;

/** Something beside spaces, line breaks, control characters and marks that are invisible by themselves. */
const VISIBLE = /[^\p{Z}\p{C}\p{M}]/u;

export const SpeechOutputFormat = z.enum(formats).meta({ id: 'SpeechOutputFormat' });

export const SpeechRequest = z
  .looseObject({
    model: z.string().max(512).nullable().optional(),
    metadata: z.record(z.string(), z.unknown()).nullable().optional(),
    stream: z.boolean().default(false),
    prompt_cache_key: z.string().max(1024).nullable().optional(),
    /** The id or slug of a preset or of a custom voice. */
    voice_id: z.string().max(256).nullable().optional(),
    /** Base64. */
    ref_audio: z.string().nullable().optional(),
    input: z
      .string()
      .refine((text) => VISIBLE.test(text), 'there is nothing to say: the input needs at least one word')
      .refine(
        ({ length }) => length <= INPUT_CHARACTERS_MAX,
        `the input may have ${INPUT_CHARACTERS_MAX} characters; send the rest in another request`,
      )
      .meta({ maxLength: INPUT_CHARACTERS_MAX }),
    response_format: SpeechOutputFormat.default('mp3'),
  })
  .meta({ id: 'SpeechRequest' });
export type SpeechRequest = z.infer<typeof SpeechRequest>;

export const SpeechResponse = z.strictObject({ audio_data: z.string() }).meta({ id: 'SpeechResponse' });

const count = z.int().default(0);
const nullableCount = z.int().nullable().optional();

const MessageTokens = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  total_tokens: nullableCount,
  truncated: z.boolean().default(false),
  usage_count: z.int().default(1),
});

const PromptTokensDetails = z.strictObject({
  messages: z.array(MessageTokens).optional(),
  cached_tokens: count,
  audio_tokens: count,
});

const SpeechUsage = z.strictObject({
  prompt_audio_seconds: nullableCount,
  prompt_tokens: count,
  total_tokens: count,
  completion_tokens: z.int().nullable().default(0),
  request_count: nullableCount,
  prompt_tokens_details: PromptTokensDetails.nullable().optional(),
  completion_tokens_details: z.strictObject({ reasoning_tokens: count }).nullable().optional(),
  prompt_token_details: PromptTokensDetails.nullable().optional(),
  num_cached_tokens: nullableCount,
});
export type SpeechUsage = z.infer<typeof SpeechUsage>;

const SpeechStreamAudioDelta = z.strictObject({
  type: z.literal('speech.audio.delta').default('speech.audio.delta'),
  audio_data: z.string(),
});

const SpeechStreamDone = z.strictObject({
  type: z.literal('speech.audio.done').default('speech.audio.done'),
  usage: SpeechUsage,
});

export const SpeechStreamEvent = z.strictObject({
  event: z.enum(['speech.audio.delta', 'speech.audio.done']),
  data: z.discriminatedUnion('type', [SpeechStreamAudioDelta, SpeechStreamDone]),
});
export type SpeechStreamEvent = z.infer<typeof SpeechStreamEvent>;

import { z } from 'zod';
import { GuardrailConfig } from '../../guardrails/index.ts';

/** In base64 a third more. */
export const APPEND_BYTES_MAX = 262_144;
const APPEND_CHARACTERS_MAX = Math.ceil(APPEND_BYTES_MAX / 3) * 4;
const REFERENCES_MAX = 16;
const GUARDRAILS_MAX = 16;

export const LiveTranscriptionQuery = z.strictObject({ model: z.string().min(1).max(512) });

export const encodings = ['pcm_s16le', 'pcm_s32le', 'pcm_f16le', 'pcm_f32le', 'pcm_mulaw', 'pcm_alaw'] as const;
export type Encoding = (typeof encodings)[number];

const AudioFormat = z.strictObject({
  encoding: z.enum(encodings),
  sample_rate: z.int().min(8000).max(96_000),
});
export type AudioFormat = z.infer<typeof AudioFormat>;

const chance = z.number().min(0).max(1);

const TurnDetectionConfig = z.strictObject({
  start_threshold: chance.default(0.5),
  eager_end_threshold: chance.default(0.5),
  end_threshold: chance.default(0.33),
  min_silence_ms: z.int().min(0).max(60_000).default(500),
  end_timeout_ms: z.int().min(0).max(600_000).nullable().default(null),
});
type TurnDetectionConfig = z.infer<typeof TurnDetectionConfig>;

const SessionChanges = z.strictObject({
  audio_format: AudioFormat.nullable().optional(),
  target_streaming_delay_ms: z.int().min(0).max(30_000).nullable().optional(),
  diarize: z.boolean().nullable().optional(),
  context_bias: z
    .array(
      z
        .string()
        .regex(/^[^,\s]+$/, 'a word has no spaces and no commas')
        .max(64),
    )
    .max(100)
    .nullable()
    .optional(),
  language: z
    .string()
    .regex(/^\w{2}$/, 'this must be a language code of two letters, such as en')
    .nullable()
    .optional(),
  speaker_references: z
    .record(z.string().min(1).max(128), z.string().min(1))
    .refine((given) => Object.keys(given).length <= REFERENCES_MAX, `this may have at most ${REFERENCES_MAX} speakers`)
    .nullable()
    .optional(),
  turn_detection: TurnDetectionConfig.nullable().optional(),
  /** Ours: what is spoken is checked before it is told, as in a transcription of a file. */
  guardrails: z.array(GuardrailConfig).max(GUARDRAILS_MAX).nullable().optional(),
});
export type SessionChanges = z.infer<typeof SessionChanges>;

/** What a client of a live transcription sends. */
export const LiveTranscriptionMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.update'), session: SessionChanges }),
  z.strictObject({ type: z.literal('input_audio.append'), audio: z.base64().max(APPEND_CHARACTERS_MAX) }),
  z.strictObject({ type: z.literal('input_audio.flush') }),
  z.strictObject({ type: z.literal('input_audio.end') }),
]);

export type LiveTranscriptionSession = {
  request_id: string;
  model: string;
  audio_format: AudioFormat;
  target_streaming_delay_ms: number | null;
  diarize: boolean | null;
  context_bias: string[] | null;
  language: string | null;
  /** Their names. */
  speaker_references: string[] | null;
  turn_detection: TurnDetectionConfig | null;
  /** Only where it was set. */
  guardrails?: GuardrailConfig[];
};

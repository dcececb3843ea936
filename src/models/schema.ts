import { z } from 'zod';

export const ModelCapabilities = z
  .object({
    completion_chat: z.boolean().default(false),
    function_calling: z.boolean().default(false),
    reasoning: z.boolean().default(false),
    completion_fim: z.boolean().default(false),
    fine_tuning: z.boolean().default(false),
    vision: z.boolean().default(false),
    ocr: z.boolean().default(false),
    classification: z.boolean().default(false),
    moderation: z.boolean().default(false),
    audio: z.boolean().default(false),
    audio_transcription: z.boolean().default(false),
    audio_transcription_realtime: z.boolean().default(false),
    audio_speech: z.boolean().default(false),
    unified_resources: z.boolean().default(false),
  })
  .meta({ id: 'ModelCapabilities' });

export const BaseModelCard = z
  .object({
    id: z.string(),
    object: z.string().default('model'),
    created: z.int().optional(),
    owned_by: z.string().default('mistralai'),
    capabilities: ModelCapabilities,
    name: z.string().nullable().optional(),
    description: z.string().nullable().optional(),
    max_context_length: z.int().default(32_768),
    aliases: z.array(z.string()).default([]),
    deprecation: z.iso.datetime().nullable().optional(),
    deprecation_replacement_model: z.string().nullable().optional(),
    default_model_temperature: z.number().nullable().optional(),
    internal: z.boolean().default(false),
    type: z.literal('base').default('base'),
  })
  .meta({ id: 'BaseModelCard' });
export type BaseModelCard = z.infer<typeof BaseModelCard>;

export const ModelList = z
  .object({ object: z.string().default('list'), data: z.array(BaseModelCard).optional() })
  .meta({ id: 'ModelList' });

export const ModelParams = z.strictObject({ model_id: z.string() });

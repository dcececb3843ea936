import { z } from 'zod';

const tokens = z.int().meta({ default: 0 });

// A few fields more than the published schema closes over: the live API sends them, and both SDKs take them.
export const UsageInfo = z
  .strictObject({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    prompt_audio_seconds: z.int().nullable().optional(),
    service_tier: z.string().nullable().optional(),
    prompt_tokens_details: z.strictObject({ cached_tokens: z.int() }).optional(),
    completion_tokens_details: z.strictObject({ reasoning_tokens: z.int() }).optional(),
    num_cached_tokens: z.int().optional(),
  })
  .meta({ id: 'UsageInfo' });
export type UsageInfo = z.infer<typeof UsageInfo>;

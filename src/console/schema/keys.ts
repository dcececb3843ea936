import { z } from 'zod';

const NAME_CHARACTERS_MAX = 255;

export const KeyParams = z.strictObject({ key_id: z.guid() });

export const ConsoleKeyCreate = z.strictObject({
  name: z.string().max(NAME_CHARACTERS_MAX).trim().min(1),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
});
export type ConsoleKeyCreate = z.infer<typeof ConsoleKeyCreate>;

const MODELS_MAX = 100;
const toolKinds = ['web_search', 'code_interpreter', 'image_generation', 'document_library', 'connector'] as const;
const rate = z.int().min(1).max(1e12).nullable().optional();

/** Of a key that calls models; an admin key does not. */
export const ConsoleStandardKeyCreate = ConsoleKeyCreate.extend({
  /** Left out, all. */
  allowed_models: z.array(z.string().min(1).max(NAME_CHARACTERS_MAX)).min(1).max(MODELS_MAX).nullish(),
  /** Kinds of tools that the server runs in conversations. Left out, all; an empty list is none. */
  allowed_tools: z.array(z.enum(toolKinds)).max(toolKinds.length).nullish(),
  /** These are on top of those of the workspace and the organization. */
  limits: z
    .strictObject({
      requests_per_second: rate,
      tokens_per_minute: rate,
      monthly_budget: z.number().min(0).max(1e9).nullable().optional(),
    })
    .nullish(),
});
export type ConsoleStandardKeyCreate = z.infer<typeof ConsoleStandardKeyCreate>;

export const ConsoleKey = z.object({
  id: z.string(),
  name: z.string().nullable(),
  ends_with: z.string(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  /** Null: all. */
  allowed_models: z.array(z.string()).nullable(),
  allowed_tools: z.array(z.string()).nullable(),
  state: z.enum(['active', 'expired']),
});
export type ConsoleKey = z.infer<typeof ConsoleKey>;

export const ConsoleKeys = z.object({ keys: z.array(ConsoleKey) });

/** The value is only in the response that creates the key. */
export const ConsoleNewKey = ConsoleKey.extend({ value: z.string() });
export type ConsoleNewKey = z.infer<typeof ConsoleNewKey>;

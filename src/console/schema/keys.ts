import { z } from 'zod';

const NAME_CHARACTERS_MAX = 255;

export const KeyParams = z.strictObject({ key_id: z.guid() });

export const ConsoleKeyCreate = z.strictObject({
  name: z.string().trim().min(1).max(NAME_CHARACTERS_MAX),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
});
export type ConsoleKeyCreate = z.infer<typeof ConsoleKeyCreate>;

export const ConsoleKey = z.object({
  id: z.string(),
  name: z.string().nullable(),
  ends_with: z.string(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  state: z.enum(['active', 'expired']),
});
export type ConsoleKey = z.infer<typeof ConsoleKey>;

export const ConsoleKeys = z.object({ keys: z.array(ConsoleKey) });

/** The value is only in the response that creates the key. */
export const ConsoleNewKey = ConsoleKey.extend({ value: z.string() });
export type ConsoleNewKey = z.infer<typeof ConsoleNewKey>;

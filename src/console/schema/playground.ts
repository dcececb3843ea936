import { z } from 'zod';

const NAME_CHARACTERS_MAX = 200;

export const SessionParams = z.strictObject({ session_id: z.string().min(1).max(64) });
export const SessionsQuery = z.strictObject({ search: z.string().max(NAME_CHARACTERS_MAX).optional() });

const name = z.string().max(NAME_CHARACTERS_MAX).trim().min(1);
/** Settings, messages and answers, which only the page understands. */
const content = z.record(z.string(), z.unknown());

export const NewPlaygroundSession = z.strictObject({
  name,
  content,
  /** The session in which this one began. */
  branch_of: z.string().min(1).max(64).nullish(),
});
export type NewPlaygroundSession = z.infer<typeof NewPlaygroundSession>;

/** What is left out stays. */
export const PlaygroundSessionChange = z.strictObject({
  name: name.optional(),
  content: content.optional(),
  is_shared: z.boolean().optional(),
});
export type PlaygroundSessionChange = z.infer<typeof PlaygroundSessionChange>;

export const ListedPlaygroundSession = z.object({
  id: z.string(),
  name: z.string(),
  user_id: z.string(),
  is_own: z.boolean(),
  is_shared: z.boolean(),
  branch_of: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ListedPlaygroundSession = z.infer<typeof ListedPlaygroundSession>;

export const PlaygroundSession = ListedPlaygroundSession.extend({ content });
export type PlaygroundSession = z.infer<typeof PlaygroundSession>;

/** Per million tokens, by model; models that cost nothing are left out. */
export const PlaygroundPrices = z.object({
  currency: z.string(),
  prices: z.record(z.string(), z.object({ prompt: z.number(), completion: z.number() })),
});
export type PlaygroundPrices = z.infer<typeof PlaygroundPrices>;

export const ListedPlaygroundSessions = z.object({ sessions: z.array(ListedPlaygroundSession) });

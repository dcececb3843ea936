import { z } from 'zod';
import { ModelHealth } from './health.ts';

export const PullRequest = z.strictObject({ model: z.string().min(1).max(255) });
export type PullRequest = z.infer<typeof PullRequest>;

export const Pull = z.object({
  model: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  bytes: z.number(),
  total_bytes: z.number().nullable(),
  message: z.string(),
});
export type Pull = z.infer<typeof Pull>;

const CatalogueModel = z.object({
  id: z.string(),
  purpose: z.string(),
  summary: z.string(),
  licence: z.string(),
  bytes: z.number(),
  memory_bytes: z.number().nullable(),
  speed: z.string().nullable(),
  installed: z.boolean(),
});

export const ConsoleModels = z.object({
  models: z.array(
    ModelHealth.extend({
      aliases: z.array(z.string()),
      /** The weights it needs in the models dir, if any. */
      weights: z.string().nullable(),
      capabilities: z.record(z.string(), z.boolean()),
      name: z.string().nullable(),
      description: z.string().nullable(),
      max_context_length: z.int(),
      /** Per million tokens; null where it costs nothing. */
      price: z.object({ prompt: z.number(), completion: z.number() }).nullable(),
      /** Who says how it is served; null for a model of the workspace. */
      source: z.enum(['file', 'builtin', 'database']).nullable(),
      /** In a minute, from all callers together; null: no limit. */
      limits: z.object({ requests_per_minute: z.number().nullable(), tokens_per_minute: z.number().nullable() }),
      /** The base model of a fine-tuned one, or of one with an adapter. */
      base: z.string().nullable(),
    }),
  ),
  currency: z.string(),
  /** Whether the session may add and change models of the server. */
  is_operator: z.boolean(),
  catalogue: z.array(CatalogueModel),
  pulls: z.array(Pull),
});
export type ConsoleModels = z.infer<typeof ConsoleModels>;

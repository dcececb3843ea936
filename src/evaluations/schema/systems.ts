import { z } from 'zod';
import { IdText, times } from './common.ts';

const settings = {
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
  random_seed: z.int().min(0).optional(),
};

/** What answers the records of a dataset. */
export const SystemRequest = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('model'), model: IdText.min(1), ...settings }),
    z.strictObject({
      kind: z.literal('prompt'),
      prompt: IdText.min(1).describe('Id or name; its newest version, unless a version or an alias is given'),
      version: z.int().min(1).optional(),
      alias: IdText.min(1).optional(),
      ...settings,
    }),
    z.strictObject({ kind: z.literal('agent'), agent_id: IdText.min(1) }),
    z.strictObject({ kind: z.literal('recorded') }),
  ])
  .describe('`recorded` judges the answers that the records hold, and asks no model for new ones')
  .meta({ id: 'EvaluationSystemRequest' });
export type SystemRequest = z.output<typeof SystemRequest>;

/** As it is stored with the run: a prompt's alias has become a version. */
export type System = {
  kind: SystemRequest['kind'];
  name: string;
  /** What a request to the endpoint has beside its messages. */
  request: Record<string, string | number>;
  params: Record<string, string | number>;
};

export const SystemV2 = z
  .object({
    id: z.string(),
    ...times,
    name: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    kind: z.string(),
    spec: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'SystemV2' });

import { z } from 'zod';

export const QuarantinedWork = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      queue: z.string(),
      organization_id: z.string().nullable(),
      /** The ids in it, such as that of a document. */
      about: z.record(z.string(), z.string()),
      deaths: z.int(),
      quarantined_at: z.string(),
      /** Of what ended when it was set aside, and cannot be retried: what its owner does. */
      instead: z.string().nullable(),
    }),
  ),
});
export type QuarantinedWork = z.infer<typeof QuarantinedWork>;

export const QuarantineParams = z.object({ task_id: z.string() });

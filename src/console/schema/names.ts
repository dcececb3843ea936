import { z } from 'zod';
import { queryList } from '../../kit/http/index.ts';

const IDS_MAX = 100;

export const NamesQuery = z.strictObject({ id: queryList(z.string().min(1).max(255)).max(IDS_MAX) });

/** By id. Ids that mean nothing to the caller are left out. */
export const ConsoleNames = z.object({
  names: z.record(
    z.string(),
    z.object({
      kind: z.enum(['user', 'service_account', 'key', 'workspace', 'agent']),
      name: z.string(),
      /** Deleted, revoked or archived. */
      has_ended: z.boolean(),
    }),
  ),
});
export type ConsoleNames = z.infer<typeof ConsoleNames>;

import { z } from 'zod';

const Count = z.int().min(0);

const ConnectorUse = z
  .strictObject({
    user_id: z.string(),
    email: z.string().nullable(),
    workspace_id: z.string(),
    calls: Count,
    /** Of the calls: those that the connector did not answer, or refused. */
    failures: Count,
    last_used_at: z.string(),
    last_failed_at: z.string().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'ConnectorUse' });

/** Who uses a connector, and how it is. */
export const ConnectorUses = z
  .strictObject({
    /** When the list of tools was last read from its server; null for a connector of the configuration. */
    checked_at: z.string().nullable(),
    /** Why that failed, if it did. */
    last_error: z.string().nullable(),
    total: z.strictObject({ users: Count, calls: Count, failures: Count }),
    /** The hundred that used it last. */
    uses: z.array(ConnectorUse),
  })
  .meta({ id: 'ConnectorUses' });
export type ConnectorUses = z.infer<typeof ConnectorUses>;

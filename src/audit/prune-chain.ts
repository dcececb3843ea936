import { setImmediate } from 'node:timers/promises';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { type Database, lockFor, type Tx } from '../kit/db/index.ts';
import { signCheckpoint } from './sign-checkpoint.ts';
import { deleteEntriesUpTo, findEntryHash, findHead, findLogId, updateCheckpoint } from './store.ts';

/** SQLite blocks the event loop while it deletes: this many take some ten milliseconds. */
const STEP_ENTRIES = 2000;

type Ports = {
  database: Database;
  now: Clock;
  secret: string;
  /** Records the pruning in the audit log, in the same transaction. */
  record: (tx: Tx, organizationId: string, details: { pruned_up_to: string; count: string }) => Promise<void>;
};

/**
 * Deletes entries older than `before`, oldest first, and signs a checkpoint in their place. The caller must have verified
 * the chain: a checkpoint must not cover altered entries.
 */
export async function pruneChain(ports: Ports, organizationId: string, before: string): Promise<number> {
  const { database, now, secret, record } = ports;
  let pruned = 0;
  for (;;) {
    const count = await database.transaction(async (tx) => {
      await lockFor(tx, database.kind, `audit-prune:${organizationId}`);
      const first = await findLogId(tx, organizationId);
      const head = await findHead(tx, organizationId);
      if (first === undefined || !head) return 0;
      const keptFrom = (await findLogId(tx, organizationId, { since: before })) ?? head.log_id + 1;
      const last = Math.min(keptFrom - 1, first + STEP_ENTRIES - 1);
      const entry = last < first ? undefined : await findEntryHash(tx, organizationId, last);
      if (!entry) return 0;
      const checkpoint = {
        organization_id: organizationId,
        log_id: last,
        hash: entry.hash,
        created_at: isoMicros(now),
      };
      await updateCheckpoint(tx, { ...checkpoint, signature: signCheckpoint(secret, checkpoint) });
      const deleted = await deleteEntriesUpTo(tx, organizationId, last);
      await record(tx, organizationId, { pruned_up_to: String(last), count: String(deleted) });
      return deleted;
    });
    pruned += count;
    if (count < STEP_ENTRIES) return pruned;
    await setImmediate();
  }
}

import type { Tx } from '../../kit/db/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import type { RunRow } from '../store/tables.ts';

/** High, because each crash of a server is an attempt. */
const ATTEMPTS_MAX = 1000;

export async function enqueueRun(tasks: Tasks, tx: Tx, { id, organization_id, holder }: RunRow): Promise<void> {
  await tasks.enqueueByHand(tx, {
    queue: 'evaluation-runs',
    payload: { run_id: id },
    dedupeKey: id,
    attemptsMax: ATTEMPTS_MAX,
    tenant: tenantOf({ organization_id, key_id: holder.key_id ?? holder.user_id }),
  });
}

import type { Tx } from '../kit/db/index.ts';
import type { Announce } from '../kit/events/index.ts';
import type { JobRow } from './store.ts';

/** In the transaction that ends the job. */
export async function announceEnd(announce: Announce | undefined, tx: Tx, job: JobRow, status: JobRow['status']) {
  const { id: job_id, workspace_id, caller, endpoint } = job;
  const data = { job_id, status, endpoint };
  await announce?.(tx, { type: 'batch.finished', organization_id: caller.organization_id, workspace_id, data });
}

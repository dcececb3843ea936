import { setTimeout as delay } from 'node:timers/promises';
import type { Query } from '../writes/find-marks.ts';

const LOOK_MS = 200;
/** Gives up when nothing has finished for this long. */
const STUCK_MS = 60_000;

const OPEN = `
  select 'execution ' || execution_id as what from workflow_runs where status not in ('COMPLETED', 'FAILED', 'TERMINATED', 'CANCELED', 'TIMED_OUT')
  union all select 'batch job ' || id from batch_jobs where status in ('QUEUED', 'RUNNING')
  union all select 'document ' || name from library_documents where process_status not in ('done', 'error')
  union all select 'task of documents ' || id from tasks where queue in ('library-documents', 'retrieval') and state <> 'dead'
  union all select 'evaluation run ' || id from evaluation_runs where status not in ('completed', 'stopped', 'failed')
  union all select 'conversation run ' || id from conversation_runs where state = 'running'`;

/** Waits until nothing is running any more; returns what never ended. */
export async function settle(query: Query): Promise<string[]> {
  let fewest = Number.POSITIVE_INFINITY;
  let endsAt = 0;
  for (;;) {
    const open = await query<{ what: string }>(OPEN);
    if (open.length < fewest) {
      fewest = open.length;
      endsAt = performance.now() + STUCK_MS;
    }
    if (open.length === 0 || performance.now() > endsAt) return open.map(({ what }) => what);
    await delay(LOOK_MS);
  }
}

import type { HistoryEvent } from '../../../packages/workflows/src/protocol.ts';
import type { Db } from '../../kit/db/index.ts';

const BATCHES_PER_READ = 64;

/** Events after `after`, in order, up to `limit` events or `bytesMax` bytes of batches. */
export async function readHistory(
  db: Db,
  runId: string,
  after: number,
  limit: number,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  let bytes = 0;
  let last = after;
  while (events.length < limit && bytes < bytesMax) {
    const batches = await listBatches(db, runId, last);
    for (const { events: batch, last_event_id } of batches) {
      for (const event of batch) if (event.id > after) events.push(event);
      last = last_event_id;
      if (bytesMax !== Number.POSITIVE_INFINITY) bytes += JSON.stringify(batch).length;
      if (events.length >= limit || bytes >= bytesMax) break;
    }
    if (batches.length < BATCHES_PER_READ) break;
  }
  return events.slice(0, limit);
}

function listBatches(db: Db, runId: string, after: number) {
  return db
    .selectFrom('workflow_history')
    .select(['events', 'last_event_id'])
    .where('run_id', '=', runId)
    .where('last_event_id', '>', after)
    .orderBy('first_event_id')
    .limit(BATCHES_PER_READ)
    .execute();
}

import type { Database } from '../../kit/db/index.ts';
import type { NewTask } from '../../kit/tasks/index.ts';
import { deleteSomeOf } from '../store/records.ts';

export const CLEANUP_QUEUE = 'dataset-cleanup';
/** Few enough that nobody waits for the transaction. */
const RECORDS_AT_ONCE = 200;

export function cleanupTask(datasetId: string): NewTask {
  return { queue: CLEANUP_QUEUE, payload: { dataset_id: datasetId }, dedupeKey: datasetId };
}

/** Deletes the records of a deleted dataset, in parts. */
export async function runCleanup(database: Database, payload: unknown): Promise<void> {
  const { dataset_id } = payload as { dataset_id: string };
  while (await database.transaction((tx) => deleteSomeOf(tx, dataset_id, RECORDS_AT_ONCE)));
}

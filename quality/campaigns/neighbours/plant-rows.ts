import { join } from 'node:path';
import { loadConfig } from '../../../src/config/config.ts';
import { openDatabase } from '../../../src/kit/db/index.ts';
import { listQueues } from '../../../test/stored/list-queues.ts';
import { poisonRows } from '../../../test/stored/poison-rows.ts';

/** Every table of a stopped server gets rows with wrong values, and every queue of background work tasks without sense. */
export async function plantRows(directory: string): Promise<void> {
  const { database } = loadConfig({
    TRAMONTANE_DATA_DIR: join(directory, 'data'),
    TRAMONTANE_CONFIG: join(directory, 'tramontane.yaml'),
  });
  const handle = await openDatabase(database);
  try {
    await poisonRows(handle, listQueues());
  } finally {
    await handle.close();
  }
}

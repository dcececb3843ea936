import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import { findCollectionByNo, listCollections, listIndexedSets, updateSet } from '../store/collections.ts';
import { createVectorExtension, findVectorExtension, hasNearest } from '../store/nearest.ts';
import type { IndexTasks } from './index-tasks.ts';
import type { VectorSets } from './vector-sets.ts';

const PAGE = 100;

type Ports = { database: Database; tasks: IndexTasks; sets: VectorSets };

/** After each start, in the background: sets for a model that has changed, and what a restored backup lacks. */
export async function prepareVectors(ports: Ports, hasExtension: boolean, signal: AbortSignal): Promise<void> {
  const { database, sets } = ports;
  if (database.kind === 'postgres') await rebuildNearest(ports, hasExtension);
  for (let afterNo = 0; ; ) {
    const page = await listCollections(database.db, afterNo, PAGE);
    for (const collection of page) {
      if (signal.aborted) return;
      await database.transaction((tx) => sets.ensure(tx, collection));
    }
    const last = page.at(-1);
    if (!last) return;
    afterNo = last.no;
  }
}

/** Whether PostgreSQL has pgvector, which is created where that is possible. */
export async function openExtension({ database, log }: { database: Database; log: Logger }): Promise<boolean> {
  const { db, kind } = database;
  if (kind !== 'postgres') return false;
  const found = await findVectorExtension(db);
  if (found === 'installed') return true;
  try {
    if (found === 'available') {
      await createVectorExtension(db);
      return true;
    }
  } catch (error) {
    log.warn({ err: error }, 'the extension pgvector could not be created in this database');
  }
  log.warn(
    'PostgreSQL has no pgvector: each search reads the vectors of its whole library. Install the extension for libraries with many documents.',
  );
  return false;
}

/** A backup has no tables of pgvector, and the server of a restored one may lack the extension. */
async function rebuildNearest({ database, tasks }: Ports, isThere: boolean): Promise<void> {
  for (const set of await listIndexedSets(database.db)) {
    if (isThere && (await hasNearest(database.db, set.no))) continue;
    await database.transaction(async (tx) => {
      await updateSet(tx, set.no, { nearest: null });
      const collection = await findCollectionByNo(tx, set.collection_no);
      if (isThere && collection) await tasks.buildNearest(tx, collection, set.no);
    });
  }
}

import type { Clock } from '../kit/base/clock.ts';
import { deletedContent } from '../kit/blobs/index.ts';
import type { Database, Tx } from '../kit/db/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import { cleanupTask } from './process/cleanup-task.ts';
import { deleteDocuments, type Place } from './store/documents.ts';
import { lockLibrary } from './store/libraries.ts';

/** Rows at once; contents and what is indexed by tasks of the same transaction. Returns how many there were. */
export async function removeDocuments(
  { database, tasks, now }: { database: Pick<Database, 'kind'>; tasks: Tasks; now: Clock },
  tx: Tx,
  place: Place,
  ids: string[],
): Promise<number> {
  await lockLibrary(tx, database.kind, place);
  const rows = await deleteDocuments(tx, place, ids);
  if (rows.length === 0) return 0;
  const contents = rows.flatMap(({ sha256 }) => sha256 ?? []);
  const documentIds = rows.map(({ id }) => id);
  await tasks.enqueue(tx, cleanupTask({ workspaceId: place.workspaceId, collectionId: place.libraryId, documentIds }));
  if (contents.length > 0) await tasks.enqueue(tx, deletedContent('libraries', contents, now()));
  return rows.length;
}

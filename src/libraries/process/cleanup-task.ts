import type { NewTask } from '../../kit/tasks/index.ts';
import type { DocumentIndex } from '../ports.ts';

export const CLEANUP_QUEUE = 'library-cleanup';
const ATTEMPTS_MAX = 100;

type Deleted = { workspaceId: string; collectionId: string; documentIds?: string[] };

/** Removes what is indexed of documents, or of a whole library, after their rows were deleted. */
export function cleanupTask(deleted: Deleted): NewTask {
  return { queue: CLEANUP_QUEUE, payload: deleted, attemptsMax: ATTEMPTS_MAX };
}

export async function runCleanup(index: DocumentIndex, payload: unknown): Promise<void> {
  const { documentIds, ...collection } = payload as Deleted;
  if (!documentIds) return index.removeCollection(collection);
  for (const documentId of documentIds) await index.removeDocument({ ...collection, documentId });
}

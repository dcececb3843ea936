import { isoMicros } from '../../kit/base/clock.ts';
import { CONTENT_GRACE_MS } from '../../kit/blobs/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import { createTaskRunner } from '../../kit/tasks/index.ts';
import { CLEANUP_QUEUE, runCleanup } from '../process/cleanup-task.ts';
import { createDocumentRunner, type RunnerPorts } from '../process/document-runner.ts';
import { removeDocuments } from '../remove-documents.ts';
import { createSourceRunner, type SourceRunnerPorts } from '../sources/source-runner.ts';
import { findReferenced, listExpired } from '../store/documents.ts';
import { listOrphans } from '../store/libraries.ts';
import { deleteStaleShares } from '../store/shares.ts';
import { createDocumentsPart, type DocumentPorts, type DocumentsPart } from './documents.ts';
import { createLibrariesPart, type LibrariesPart, removeLibrary } from './libraries.ts';
import type { ServicePorts } from './ports.ts';
import { createSearchPart, type SearchPart, type SearchPorts } from './search.ts';
import { createSharesPart, type SharePorts, type SharesPart } from './shares.ts';
import { createSourcesPart, type SourcesPart } from './sources.ts';

const HOUR_MS = 60 * 60 * 1000;
const AT_ONCE = 200;

export type LibraryService = {
  libraries: LibrariesPart;
  documents: DocumentsPart;
  shares: SharesPart;
  search: SearchPart;
  sources: SourcesPart;
  start(): void;
  stop(limitMs: number): Promise<void>;
  /** Deletes documents that have expired. */
  expire(): Promise<void>;
  /**
   * Deletes what belongs to nobody any more: libraries of users who left and of archived workspaces, stale shares,
   * unused content.
   */
  prune(): Promise<void>;
  /** Removes those of these contents that no document has any more. */
  removeContent(sha256s: string[]): Promise<void>;
};

export function createLibraryService(
  ports: ServicePorts &
    SharePorts &
    SearchPorts &
    DocumentPorts &
    RunnerPorts &
    SourceRunnerPorts & { tokens: PageTokens },
): LibraryService {
  const { database, blobs, index, now, log } = ports;
  const { db } = database;
  const isReferenced = (sha256s: string[]) => findReferenced(db, sha256s);
  const reading = createDocumentRunner(ports);
  const syncing = createSourceRunner(ports);
  const cleaning = createTaskRunner({
    database,
    now,
    log,
    queues: { [CLEANUP_QUEUE]: { concurrency: 2, handler: ({ payload }) => runCleanup(index, payload) } },
  });

  return {
    libraries: createLibrariesPart(ports),
    documents: createDocumentsPart(ports),
    shares: createSharesPart(ports),
    search: createSearchPart(ports),
    sources: createSourcesPart(ports),
    start() {
      reading.start();
      cleaning.start();
      syncing.start();
    },
    async stop(limitMs) {
      await Promise.all([reading.stop(limitMs), cleaning.stop(limitMs), syncing.stop(limitMs)]);
    },
    async expire() {
      for (const { id, workspace_id, library_id } of await listExpired(db, isoMicros(now), AT_ONCE)) {
        const place = { workspaceId: workspace_id, libraryId: library_id };
        await database.transaction((tx) => removeDocuments(ports, tx, place, [id]));
      }
    },
    async prune() {
      for (const library of await listOrphans(db, AT_ONCE)) await removeLibrary(ports, library, async () => undefined);
      await deleteStaleShares(db);
      const untouchedSince = new Date(now() - HOUR_MS);
      await blobs.collect({ isReferenced, untouchedSince });
      await blobs.sweep({ untouchedSince });
    },
    async removeContent(sha256s) {
      await blobs.collectSome(sha256s, { isReferenced, untouchedSince: new Date(now() - CONTENT_GRACE_MS) });
    },
  };
}

import { isoMicros } from '../../kit/base/clock.ts';
import type { Tx } from '../../kit/db/index.ts';
import { planSync } from '../../kit/folders/index.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import {
  createTaskRunner,
  DIED_WITH_IT,
  type NewTask,
  type QuarantinedTask,
  type RunningTask,
  type TaskRunner,
} from '../../kit/tasks/index.ts';
import { type Holder, holderOf, tenantOf } from '../../tenants/index.ts';
import { libraryErrors } from '../errors.ts';
import { findAccess } from '../find-access.ts';
import { newDocument } from '../new-document.ts';
import type { RunnerPorts } from '../process/document-runner.ts';
import { readTask } from '../process/document-task.ts';
import { removeDocuments } from '../remove-documents.ts';
import type { SourceResult } from '../schema.ts';
import { findDocument, insertDocument, type Place, updateDocument } from '../store/documents.ts';
import { updateLibrary } from '../store/libraries.ts';
import {
  deleteSourceFiles,
  findHeldElsewhere,
  findSource,
  listSourceFiles,
  updateSource,
  upsertSourceFile,
} from '../store/sources.ts';
import type { LibraryRow, SourceRow } from '../store/tables.ts';
import { type FoundFile, type FoundFiles, type PlacePorts, readPlace } from './read-place.ts';

export const SOURCE_QUEUE = 'library-sources';
const TURNS = { perTenantMax: 1, perKeyMax: 1 };
const LEASE_MS = 10_000;
const ATTEMPTS_MAX = 3;
const TASK_ATTEMPTS_MAX = 1000;
const MESSAGE_MAX = 500;

type SourceTask = { source_id: string; library_id: string; workspace_id: string; caller: Holder };

export function sourceTask(
  { id, library_id, workspace_id, caller }: Pick<SourceRow, 'id' | 'library_id' | 'workspace_id' | 'caller'>,
  scope: Pick<Scope, 'organization_id' | 'key_id'>,
): NewTask {
  const payload: SourceTask = { source_id: id, library_id, workspace_id, caller };
  return { queue: SOURCE_QUEUE, payload, dedupeKey: id, attemptsMax: TASK_ATTEMPTS_MAX, tenant: tenantOf(scope) };
}

export type SourceRunnerPorts = PlacePorts &
  Pick<RunnerPorts, 'database' | 'tasks' | 'blobs' | 'index' | 'authority' | 'withinStorage' | 'now' | 'log'>;

/** Brings a library in step with a source. A run that dies is repeated, and finds what it did already. */
export function createSourceRunner(ports: SourceRunnerPorts): TaskRunner {
  const { database, tasks, blobs, index, authority, now, log } = ports;
  const { db } = database;

  async function run(task: RunningTask, stopped: AbortSignal): Promise<void> {
    const { source_id, library_id, workspace_id, caller } = task.payload as SourceTask;
    const place = { workspaceId: workspace_id, libraryId: library_id };
    const source = await findSource(db, place, source_id);
    if (!source) return;
    const deadline = AbortSignal.timeout(ports.sourceLimits.timeoutMs);
    const signal = AbortSignal.any([stopped, deadline]);
    try {
      if (task.attempt > ATTEMPTS_MAX)
        throw libraryErrors.source_unreadable('The server stopped each time it read the source.');
      await updateSource(db, place, source_id, { status: 'running' });
      const scope = { ...(await authority.scopeOf(caller, 'libraries:write')), isBackground: true };
      const library = await findAccess(db, scope, library_id, 'Editor');
      const done = await readPlace(
        ports,
        { place: source.place, workspaceId: workspace_id },
        signal,
        async (found) => ({
          result: await apply(scope, library, source, found, signal),
          revision: found.revision,
        }),
      );
      await finish(task, source, { status: 'done', ...done, error_code: null, error_message: null });
    } catch (error) {
      stopped.throwIfAborted();
      await settle(
        task,
        source,
        deadline.aborted ? libraryErrors.source_unreadable('It took too long to read.') : error,
      );
    }
  }

  async function settle(task: RunningTask, source: SourceRow, error: unknown): Promise<void> {
    const isExpected = error instanceof ApiError && error.status < 500;
    if (!isExpected && task.attempt < ATTEMPTS_MAX) throw error;
    if (!isExpected) log.error({ err: error, source: source.id }, 'a source of a library was given up');
    await finish(task, source, {
      status: 'error',
      error_code: (isExpected && error.code) || 'source_unreadable',
      error_message: isExpected
        ? error.message.slice(0, MESSAGE_MAX)
        : 'The source could not be read. Report its id to the operator.',
    });
  }

  async function finish(
    task: RunningTask,
    source: SourceRow,
    change: Parameters<typeof updateSource>[3],
  ): Promise<void> {
    const { interval_seconds } = source;
    const next_run_ms = interval_seconds === null ? null : now() + interval_seconds * 1000;
    await database.transaction(async (tx) => {
      await task.complete(tx);
      await updateSource(tx, placeOf(source), source.id, { ...change, last_run_at: isoMicros(now), next_run_ms });
    });
  }

  async function apply(
    scope: Scope,
    library: LibraryRow,
    source: SourceRow,
    { files, skipped }: FoundFiles,
    signal: AbortSignal,
  ): Promise<SourceResult> {
    const place = placeOf(source);
    const byPath = new Map(files.map((file) => [file.path, file]));
    const known = (await listSourceFiles(db, source.id)).map(({ document_id, ...file }) => ({
      id: document_id,
      ...file,
    }));
    const elsewhere = await findHeldElsewhere(
      db,
      place,
      source.id,
      files.map(({ sha256 }) => sha256),
    );
    const plan = planSync(files, known, elsewhere);
    for (const { id, to, sha256 } of plan.move) await move(place, source.id, { path: to, sha256, document_id: id });
    for (const { path, replaces } of plan.add) {
      signal.throwIfAborted();
      await add(scope, library, source, byPath.get(path) as FoundFile, replaces);
    }
    for (const { id } of plan.gone)
      await database.transaction(async (tx) => {
        await removeDocuments(ports, tx, place, [id]);
        await deleteSourceFiles(tx, source.id, [id]);
      });
    const changed = plan.add.filter(({ replaces }) => replaces !== undefined).length;
    return {
      added: plan.add.length - changed,
      changed,
      renamed: plan.move.length,
      removed: plan.gone.length,
      unchanged: plan.same + plan.doubles.length,
      skipped,
    };
  }

  /** The new document and the end of the one that it replaces are one transaction. */
  async function add(
    scope: Scope,
    library: LibraryRow,
    source: SourceRow,
    file: FoundFile,
    replaces: string | undefined,
  ) {
    const { path, mimetype, url, bytes } = file;
    await ports.withinStorage(scope, bytes, async () => {
      const content = await blobs.put(file.open(), { bytesMax: ports.sourceLimits.fileBytesMax });
      const about = {
        name: nameOf(path, url),
        mimetype,
        content,
        userId: scope.user_id,
        ...(url === undefined ? {} : { url }),
      };
      const row = newDocument(library, about, now());
      await database.transaction(async (tx) => {
        // It was deleted while its files were being read.
        if (!(await findSource(tx, placeOf(source), source.id)))
          throw libraryErrors.library_source_not_found(source.id);
        if (replaces !== undefined) await removeDocuments(ports, tx, placeOf(source), [replaces]);
        if (!(await insertDocument(tx, row))) return;
        await updateLibrary(tx, library.workspace_id, library.id, { updated_at: row.created_at });
        await upsertSourceFile(tx, source.id, { path, sha256: content.sha256, document_id: row.id });
        await tasks.enqueue(tx, readTask(row, holderOf(scope), scope));
      });
    });
  }

  async function move(place: Place, sourceId: string, file: { path: string; sha256: string; document_id: string }) {
    const { name, name_folded } = foldedName(nameOf(file.path, undefined));
    await database.transaction(async (tx) => {
      await updateDocument(tx, place, file.document_id, { name, name_folded });
      await upsertSourceFile(tx, sourceId, file);
    });
    const document = await findDocument(db, place, file.document_id, isoMicros(now));
    if (document?.process_status !== 'done') return;
    const { workspaceId, libraryId: collectionId } = place;
    const attributes = document.attributes ?? {};
    await index.setAttributes({ workspaceId, collectionId, documentId: file.document_id, title: name, attributes });
  }

  async function onQuarantine(tx: Tx, { payload }: QuarantinedTask): Promise<void> {
    const { source_id, library_id, workspace_id } = payload as SourceTask;
    const change = { status: 'error', error_code: 'source_unreadable', error_message: DIED_WITH_IT } as const;
    await updateSource(tx, placeOf({ workspace_id, library_id }), source_id, change);
  }

  return createTaskRunner({
    database,
    now,
    log,
    queues: {
      [SOURCE_QUEUE]: {
        onQuarantine,
        handler: (task, { signal }) => run(task, signal),
        concurrency: 2,
        turns: TURNS,
        leaseMs: LEASE_MS,
      },
    },
  });
}

const placeOf = ({ workspace_id, library_id }: Pick<SourceRow, 'workspace_id' | 'library_id'>): Place => ({
  workspaceId: workspace_id,
  libraryId: library_id,
});

const foldedName = (name: string) => ({ name: name.slice(-255), name_folded: name.slice(-255).toLowerCase() });

function nameOf(path: string, url: string | undefined): string {
  if (url === undefined) return path;
  const { hostname, pathname } = new URL(url);
  return `${hostname}${pathname === '/' ? '' : pathname}`;
}

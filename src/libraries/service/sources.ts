import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import { type Authority, type Holder, holderOf } from '../../tenants/index.ts';
import { libraryErrors } from '../errors.ts';
import { findAccess } from '../find-access.ts';
import { recordChange } from '../record-change.ts';
import { removeDocuments } from '../remove-documents.ts';
import type { CreateLibrarySource, LibrarySource } from '../schema.ts';
import { checkFolder, type PlacePorts } from '../sources/read-place.ts';
import { sourceTask } from '../sources/source-runner.ts';
import type { Place } from '../store/documents.ts';
import {
  deleteSource,
  findSource,
  insertSource,
  listDueSources,
  listSourceFiles,
  listSources,
  updateSource,
} from '../store/sources.ts';
import type { LibraryRow, SourceRow } from '../store/tables.ts';
import type { ServicePorts } from './ports.ts';

const SOURCES_MAX = 20;
const AT_ONCE = 200;
/** If its task is lost, a run is asked for again after this time. */
const RETRY_MS = 60 * 60 * 1000;

export type SourcesPart = {
  list(scope: Scope, libraryId: string): Promise<{ data: LibrarySource[] }>;
  /** Runs it at once. */
  create(scope: Scope, libraryId: string, request: CreateLibrarySource): Promise<LibrarySource>;
  run(scope: Scope, libraryId: string, id: string): Promise<LibrarySource>;
  remove(scope: Scope, libraryId: string, id: string, documents: 'keep' | 'delete'): Promise<undefined>;
  /** Enqueues the runs that are due. */
  runDue(): Promise<void>;
};

export function createSourcesPart(
  ports: ServicePorts & Pick<PlacePorts, 'sourceFolders'> & { authority: Pick<Authority, 'scopeOf'> },
): SourcesPart {
  const { database, audit, tasks, now, sourceFolders, authority } = ports;
  const { db } = database;

  async function find(scope: Scope, libraryId: string, id: string) {
    const library = await findAccess(db, scope, libraryId, 'Editor');
    const source = await findSource(db, placeOf(library), id);
    if (!source) throw libraryErrors.library_source_not_found(id);
    return { library, source };
  }

  /** Undefined for a creator who may not do this any more: the run itself says why. */
  async function findScope(caller: Holder): Promise<Scope | undefined> {
    try {
      return await authority.scopeOf(caller, 'libraries:write');
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  return {
    async list(scope, libraryId) {
      const library = await findAccess(db, scope, libraryId, 'Viewer');
      return { data: (await listSources(db, placeOf(library))).map(toSource) };
    },
    async create(scope, libraryId, { place, interval_seconds }) {
      const library = await findAccess(db, scope, libraryId, 'Editor');
      if (place.type === 'folder') await checkFolder(sourceFolders, library.workspace_id, place.path);
      const row: SourceRow = {
        id: uuidv7(now()),
        library_id: library.id,
        workspace_id: library.workspace_id,
        place,
        interval_seconds,
        caller: holderOf(scope),
        status: 'waiting',
        revision: null,
        result: null,
        error_code: null,
        error_message: null,
        last_run_at: null,
        next_run_ms: interval_seconds === null ? null : now() + interval_seconds * 1000,
        created_by_id: scope.user_id,
        created_at: isoMicros(now),
      };
      await database.transaction(async (tx) => {
        if ((await listSources(tx, placeOf(library))).length >= SOURCES_MAX)
          throw libraryErrors.too_many_sources(SOURCES_MAX);
        await insertSource(tx, row);
        await tasks.enqueue(tx, sourceTask(row, scope));
        await recordChange(
          audit,
          tx,
          scope,
          'library.update',
          { library },
          { source_created: row.id, kind: place.type },
        );
      });
      return toSource(row);
    },
    async run(scope, libraryId, id) {
      const { library, source } = await find(scope, libraryId, id);
      await database.transaction(async (tx) => {
        if (source.status !== 'running') await updateSource(tx, placeOf(library), id, { status: 'waiting' });
        await tasks.enqueueByHand(tx, sourceTask(source, scope));
        await recordChange(audit, tx, scope, 'library.update', { library }, { source_run: id });
      });
      return toSource({ ...source, status: source.status === 'running' ? 'running' : 'waiting' });
    },
    async remove(scope, libraryId, id, documents): Promise<undefined> {
      const { library } = await find(scope, libraryId, id);
      await database.transaction(async (tx) => {
        const ids = documents === 'delete' ? (await listSourceFiles(tx, id)).map(({ document_id }) => document_id) : [];
        await deleteSource(tx, placeOf(library), id);
        for (let at = 0; at < ids.length; at += AT_ONCE)
          await removeDocuments(ports, tx, placeOf(library), ids.slice(at, at + AT_ONCE));
        await recordChange(audit, tx, scope, 'library.update', { library }, { source_deleted: id, documents });
      });
    },
    async runDue() {
      for (const source of await listDueSources(db, now(), AT_ONCE)) {
        const place = { workspaceId: source.workspace_id, libraryId: source.library_id };
        const scope = await findScope(source.caller);
        const next_run_ms = now() + Math.max(source.interval_seconds ?? 0, RETRY_MS / 1000) * 1000;
        await database.transaction(async (tx) => {
          await updateSource(tx, place, source.id, { next_run_ms });
          const tenant = scope ?? { organization_id: source.workspace_id, key_id: source.caller.key_id ?? '' };
          await tasks.enqueue(tx, sourceTask(source, tenant));
        });
      }
    },
  };
}

const placeOf = ({ id, workspace_id }: Pick<LibraryRow, 'id' | 'workspace_id'>): Place => ({
  workspaceId: workspace_id,
  libraryId: id,
});

function toSource(row: SourceRow): LibrarySource {
  const { id, library_id, place, interval_seconds, status, revision, result, error_code, error_message } = row;
  return {
    id,
    library_id,
    place,
    interval_seconds,
    status,
    revision,
    result,
    error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
    last_run_at: row.last_run_at,
    next_run_at: interval_seconds === null || row.next_run_ms === null ? null : new Date(row.next_run_ms).toISOString(),
    created_by_id: row.created_by_id,
    created_at: row.created_at,
  };
}

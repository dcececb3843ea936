import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { deletedContent } from '../../kit/blobs/index.ts';
import type { PageTokens, Scope } from '../../kit/http/index.ts';
import { libraryErrors } from '../errors.ts';
import { findAccess, viewerOf } from '../find-access.ts';
import { cleanupTask } from '../process/cleanup-task.ts';
import { recordChange } from '../record-change.ts';
import type {
  CreateLibraryRequest,
  LibrariesQuery,
  Library,
  ListLibrariesResponse,
  UpdateLibraryRequest,
} from '../schema.ts';
import {
  countLibraries,
  deleteLibrary,
  findLibraries,
  findNamedLibraries,
  insertLibrary,
  type LibraryTotals,
  listLibraries,
  type ShareCounts,
  searchLibraries,
  sumDocuments,
  updateLibrary,
} from '../store/libraries.ts';
import { countShares } from '../store/shares.ts';
import type { LibraryRow } from '../store/tables.ts';
import type { ServicePorts } from './ports.ts';

/** Contents per task. */
const CONTENTS_AT_ONCE = 500;

export type LibrariesPart = {
  create(scope: Scope, request: CreateLibraryRequest): Promise<Library>;
  list(scope: Scope, query: LibrariesQuery): Promise<ListLibrariesResponse>;
  search(
    scope: Scope,
    text: string,
    limit: number,
  ): Promise<Pick<LibraryRow, 'id' | 'name' | 'description' | 'updated_at'>[]>;
  get(scope: Scope, id: string): Promise<Library>;
  /** Those of these libraries that the caller sees; if there is none, the first is missing. */
  findVisible(scope: Scope, ids: readonly string[]): Promise<{ workspaceId: string; collectionId: string }[]>;
  update(scope: Scope, id: string, request: UpdateLibraryRequest): Promise<Library>;
  remove(scope: Scope, id: string): Promise<Library>;
};

export function createLibrariesPart(ports: ServicePorts & { tokens: PageTokens }): LibrariesPart {
  const { database, audit, now, tokens } = ports;
  const { db } = database;

  async function show(rows: LibraryRow[]): Promise<Library[]> {
    const ids = rows.map(({ id }) => id);
    const totals = await sumDocuments(db, ids, isoMicros(now));
    const shares = await countShares(db, ids);
    return rows.map((row) => toLibrary(row, totals.get(row.id), shares.get(row.id)));
  }

  const showOne = async (row: LibraryRow): Promise<Library> => (await show([row]))[0] as Library;

  return {
    async create(scope, { name, description = null, chunk_size = null, owner_type }) {
      const at = isoMicros(now);
      const owner = owner_type ?? 'Workspace';
      const row: LibraryRow = {
        id: uuidv7(now()),
        organization_id: scope.organization_id,
        workspace_id: scope.workspace_id,
        owner_type: owner,
        owner_id: owner === 'User' ? scope.user_id : scope.workspace_id,
        name,
        name_folded: name.toLowerCase(),
        description,
        chunk_size,
        created_at: at,
        updated_at: at,
      };
      await database.transaction(async (tx) => {
        await insertLibrary(tx, row);
        await recordChange(audit, tx, scope, 'library.create', { library: row });
      });
      return toLibrary(row, undefined, undefined);
    },
    async list(scope, { page_size, page_token, page, search, filter_owned_by_me }) {
      const viewer = viewerOf(scope);
      const folded = search?.toLowerCase() || undefined;
      const filter = {
        search: folded,
        among: await findNamedLibraries(database, viewer, folded),
        isOwnedBy: filter_owned_by_me ? scope.user_id : undefined,
      };
      const question = ['libraries', scope.workspace_id, scope.user_id, filter.search ?? '', filter.isOwnedBy ?? ''];
      const after = page_token ? (tokens.read(question, page_token) as { created_at: string; id: string }) : undefined;
      const offset = after ? 0 : page * page_size;
      const rows = await listLibraries(db, viewer, filter, { limit: page_size + 1, offset, after });
      const shown = rows.slice(0, page_size);
      const hasMore = rows.length > page_size;
      const last = shown.at(-1);
      const total = after ? 0 : await countLibraries(db, viewer, filter, offset + page_size);
      return {
        pagination: after ? null : paginationOf(total, page, page_size),
        data: await show(shown),
        next_page_token: hasMore && last ? tokens.write(question, { created_at: last.created_at, id: last.id }) : null,
      };
    },
    search: (scope, text, limit) => searchLibraries(db, viewerOf(scope), text, limit),
    get: async (scope, id) => showOne(await findAccess(db, scope, id, 'Viewer')),
    async findVisible(scope, ids) {
      const found = await findLibraries(db, viewerOf(scope), ids);
      const visible = found.map((row) => ({ workspaceId: row.workspace_id, collectionId: row.id }));
      if (visible.length === 0) throw libraryErrors.library_not_found(ids[0] ?? '');
      return visible;
    },
    async update(scope, id, { name, description }) {
      const library = await findAccess(db, scope, id, 'Editor');
      const change = {
        ...(name === undefined ? {} : { name, name_folded: name.toLowerCase() }),
        ...(description === undefined ? {} : { description }),
        updated_at: isoMicros(now),
      };
      const updated = await database.transaction(async (tx) => {
        const row = await updateLibrary(tx, library.workspace_id, library.id, change);
        if (row) await recordChange(audit, tx, scope, 'library.update', { library: row });
        return row;
      });
      return showOne(updated ?? (await findAccess(db, scope, id, 'Editor')));
    },
    async remove(scope, id) {
      const library = await findAccess(db, scope, id, 'Owner');
      const shown = await showOne(library);
      await removeLibrary(ports, library, async (tx) => recordChange(audit, tx, scope, 'library.delete', { library }));
      return shown;
    },
  };
}

/** Rows at once; contents and what is indexed by tasks, so that a crash leaves nothing behind. */
export async function removeLibrary(
  { database, tasks, now }: Pick<ServicePorts, 'database' | 'tasks' | 'now'>,
  { id, workspace_id }: Pick<LibraryRow, 'id' | 'workspace_id'>,
  record: (tx: Parameters<typeof deleteLibrary>[0]) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    const contents = await deleteLibrary(tx, workspace_id, id);
    if (!contents) return;
    await tasks.enqueue(tx, cleanupTask({ workspaceId: workspace_id, collectionId: id }));
    for (let at = 0; at < contents.length; at += CONTENTS_AT_ONCE)
      await tasks.enqueue(tx, deletedContent('libraries', contents.slice(at, at + CONTENTS_AT_ONCE), now()));
    await record(tx);
  });
}

export function paginationOf(total_items: number, current_page: number, page_size: number) {
  const total_pages = Math.ceil(total_items / page_size);
  return { total_items, total_pages, current_page, page_size, has_more: current_page + 1 < total_pages };
}

function toLibrary(row: LibraryRow, totals: LibraryTotals | undefined, shares: ShareCounts | undefined): Library {
  const { id, name, created_at, updated_at, owner_id, owner_type, chunk_size, description } = row;
  return {
    id,
    name,
    created_at,
    updated_at,
    owner_id,
    owner_type,
    total_size: totals?.bytes ?? 0,
    nb_documents: totals?.documents ?? 0,
    chunk_size,
    emoji: null,
    description,
    generated_description: null,
    explicit_user_members_count: shares?.users ?? 0,
    explicit_workspace_members_count: shares?.workspaces ?? 0,
    org_sharing_role: shares?.org_role ?? null,
    generated_name: null,
  };
}

import { sql } from 'kysely';
import {
  contains,
  countFound,
  countListed,
  countListedEach,
  type Database,
  type Db,
  findCandidates,
  findPlace,
  isBeyond,
  isFrom,
  type Listed,
  rowsOf,
  type Tx,
} from '../../kit/db/index.ts';
import type { Place } from './documents.ts';
import { deleteSources } from './sources.ts';
import type { LibraryRow } from './tables.ts';

/** Who looks: a user in a workspace of an organization. */
export type Viewer = { organizationId: string; workspaceId: string; userId: string };

/** What is counted for each library. */
export type LibraryTotals = { library_id: string; documents: number; bytes: number };
export type ShareCounts = { users: number; workspaces: number; org_role: string | null };

/** The only place that decides which libraries somebody sees: those of the workspace, own ones, and shared ones. */
function visible(db: Db, { organizationId, workspaceId, userId }: Viewer, among?: readonly string[]) {
  return rowsOf(db, 'libraries', among)
    .where('organization_id', '=', organizationId)
    .where(({ eb, and, or, exists, selectFrom }) =>
      or([
        and([
          eb('workspace_id', '=', workspaceId),
          or([eb('owner_type', '=', 'Workspace'), eb('owner_id', '=', userId)]),
        ]),
        exists(
          selectFrom('library_shares')
            .select('library_shares.library_id')
            .whereRef('library_shares.library_id', '=', 'libraries.id')
            .where(({ eb: shared, or: any, and: all }) =>
              any([
                all([shared('share_with_type', '=', 'User'), shared('share_with_uuid', '=', userId)]),
                all([shared('share_with_type', '=', 'Workspace'), shared('share_with_uuid', '=', workspaceId)]),
                all([shared('share_with_type', '=', 'Org'), shared('share_with_uuid', '=', organizationId)]),
              ]),
            ),
        ),
      ]),
    );
}

export function findLibrary(db: Db, viewer: Viewer, id: string): Promise<LibraryRow | undefined> {
  return visible(db, viewer).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Those of the libraries that the viewer sees. */
export function findLibraries(db: Db, viewer: Viewer, ids: readonly string[]): Promise<LibraryRow[]> {
  return visible(db, viewer).selectAll().where('id', 'in', ids).execute();
}

type Filter = {
  search: string | undefined;
  isOwnedBy: string | undefined;
  /** All that the search may find are among these libraries. */
  among?: readonly string[] | undefined;
};

function filtered(db: Db, viewer: Viewer, { search, isOwnedBy, among }: Filter) {
  let query = visible(db, viewer, among);
  if (isOwnedBy) query = query.where('owner_id', '=', isOwnedBy);
  if (search)
    query = query.where(({ eb, fn, val }) =>
      eb(fn('replace', ['name_folded', val(search), val('')]), '<>', eb.ref('name_folded')),
    );
  return query;
}

/** Undefined where something is shared with the viewer, and for filters that only the rows themselves answer. */
async function countedLibraries(db: Db, viewer: Viewer, { search, isOwnedBy }: Filter): Promise<Listed | undefined> {
  if (search || (await isShownShared(db, viewer))) return undefined;
  const { workspaceId, userId } = viewer;
  return { list: 'libraries', scope: workspaceId, owners: isOwnedBy ? [isOwnedBy] : ['', userId] };
}

/** Undefined where something of another workspace is shared with the viewer. */
export async function findNamedLibraries(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  viewer: Viewer,
  search: string | undefined,
): Promise<string[] | undefined> {
  if (!search || (await isShownShared(db, viewer))) return undefined;
  const scope = { column: 'workspace_id', id: viewer.workspaceId };
  return findCandidates({ db, kind }, { list: 'libraries', scope, texts: ['name_folded'] }, search);
}

async function isShownShared(db: Db, { organizationId, workspaceId, userId }: Viewer): Promise<boolean> {
  const found = await db
    .selectFrom('library_shares')
    .select('library_id')
    .where('share_with_uuid', 'in', [organizationId, workspaceId, userId])
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Newest first, after the given place or from an offset. */
export async function listLibraries(
  db: Db,
  viewer: Viewer,
  filter: Filter,
  page: { limit: number; offset: number; after?: { created_at: string; id: string } | undefined },
): Promise<LibraryRow[]> {
  const { after } = page;
  const of = page.offset === 0 ? undefined : await countedLibraries(db, viewer, filter);
  const place = await findPlace(db, of, page.offset, 'desc');
  if (!place) return [];
  let query = filtered(db, viewer, filter)
    .selectAll()
    .where(isFrom('created_at', place, 'desc'));
  if (after) query = query.where(isBeyond('desc', ['created_at', 'id'], [after.created_at, after.id]));
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit).offset(place.offset).execute();
}

/** A search looks at the newest libraries only. */
const SCANNED_MAX = 1000;

export function searchLibraries(
  db: Db,
  viewer: Viewer,
  text: string,
  limit: number,
): Promise<Pick<LibraryRow, 'id' | 'name' | 'description' | 'updated_at'>[]> {
  const newest = visible(db, viewer)
    .select(['id', 'name', 'name_folded', 'description', 'updated_at', 'created_at'])
    .orderBy('created_at', 'desc')
    .limit(SCANNED_MAX);
  return db
    .selectFrom(newest.as('l'))
    .select(['l.id', 'l.name', 'l.description', 'l.updated_at'])
    .where((eb) =>
      eb.or([contains('l.name_folded', text), contains('l.description', text), eb('l.id', '=', text.toLowerCase())]),
    )
    .orderBy('l.created_at', 'desc')
    .limit(limit)
    .execute();
}

export async function countLibraries(db: Db, viewer: Viewer, filter: Filter, pageEnd: number): Promise<number> {
  const of = await countedLibraries(db, viewer, filter);
  if (of) return (await countListed(db, of)).amount;
  const { workspaceId, userId } = viewer;
  const whole = { list: 'libraries', scope: workspaceId, owners: ['', userId] };
  return countFound(db, filtered(db, viewer, filter).select('id'), filter.among, { of: whole, pageEnd });
}

export async function sumDocuments(db: Db, ids: string[], now: string): Promise<Map<string, LibraryTotals>> {
  if (ids.length === 0) return new Map();
  // An expression, because a database may otherwise read all documents in the order of their libraries.
  const libraryId = sql<string>`library_id || ''`;
  // Counts include what has expired and is deleted in a moment.
  const expired = await db
    .selectFrom('library_documents')
    .select([
      libraryId.as('library_id'),
      sql<number>`count(*)`.as('documents'),
      sql<number>`coalesce(sum(bytes), 0)`.as('bytes'),
    ])
    .where('expires_at', '<=', now)
    .where(libraryId, 'in', ids)
    .groupBy(libraryId)
    .execute();
  const gone = new Map(expired.map((row) => [row.library_id, row]));
  const rows = await countListedEach(db, 'library_documents', ids);
  return new Map(
    rows.map(({ scope, amount, bytes }) => {
      const without = gone.get(scope);
      const documents = Number(amount) - Number(without?.documents ?? 0);
      return [scope, { library_id: scope, documents, bytes: Number(bytes) - Number(without?.bytes ?? 0) }];
    }),
  );
}

export async function insertLibrary(tx: Tx, row: LibraryRow): Promise<void> {
  await tx.insertInto('libraries').values(row).execute();
}

export function updateLibrary(
  tx: Tx,
  workspaceId: string,
  id: string,
  change: Partial<Pick<LibraryRow, 'name' | 'name_folded' | 'description' | 'updated_at'>>,
): Promise<LibraryRow | undefined> {
  return tx
    .updateTable('libraries')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Until the end of the transaction; false when it is gone. Before its documents are added or deleted: whoever deletes the library
 * has it first, and would wait for them, and they for it.
 */
export async function lockLibrary(tx: Tx, kind: Database['kind'], { workspaceId, libraryId }: Place): Promise<boolean> {
  const row = await tx
    .selectFrom('libraries')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', libraryId)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row !== undefined;
}

/** With everything in it; returns the contents of its documents, or undefined when it was gone. */
export async function deleteLibrary(tx: Tx, workspaceId: string, id: string): Promise<string[] | undefined> {
  const { numDeletedRows } = await tx
    .deleteFrom('libraries')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return undefined;
  await tx.deleteFrom('library_shares').where('library_id', '=', id).execute();
  await deleteSources(tx, id);
  await tx
    .deleteFrom('library_pages')
    .where('document_id', 'in', (eb) =>
      eb.selectFrom('library_documents').select('library_documents.id').where('library_id', '=', id),
    )
    .execute();
  const rows = await tx.deleteFrom('library_documents').where('library_id', '=', id).returning('sha256').execute();
  return rows.flatMap(({ sha256 }) => sha256 ?? []);
}

/** Libraries whose workspace is gone or archived, or whose owner has left the organization. */
export function listOrphans(db: Db, limit: number): Promise<Pick<LibraryRow, 'id' | 'workspace_id'>[]> {
  return db
    .selectFrom('libraries')
    .select(['id', 'workspace_id'])
    .where(({ or, and, not, exists, eb, selectFrom }) =>
      or([
        not(
          exists(
            selectFrom('workspaces')
              .select('workspaces.id')
              .whereRef('workspaces.id', '=', 'libraries.workspace_id')
              .where('workspaces.archived_at', 'is', null),
          ),
        ),
        and([
          eb('owner_type', '=', 'User'),
          not(
            exists(
              selectFrom('organization_members')
                .select('organization_members.user_id')
                .whereRef('organization_members.organization_id', '=', 'libraries.organization_id')
                .whereRef('organization_members.user_id', '=', 'libraries.owner_id'),
            ),
          ),
        ]),
      ]),
    )
    .limit(limit)
    .execute();
}

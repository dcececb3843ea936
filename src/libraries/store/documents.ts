import { type SelectQueryBuilder, sql } from 'kysely';
import {
  countFound,
  countListed,
  type Database,
  type Db,
  findPlace,
  holdsJson,
  isFrom,
  rowsOf,
  rowWriter,
  type Searched,
  type Tables,
  type Tx,
} from '../../kit/db/index.ts';
import type { DocumentsQuery } from '../schema.ts';
import type { DocumentRow } from './tables.ts';

/** A library in the workspace that holds it. */
export type Place = { workspaceId: string; libraryId: string };

function alive(db: Db, { workspaceId, libraryId }: Place, now: string, among?: readonly string[]) {
  return rowsOf(db, 'library_documents', among)
    .where('workspace_id', '=', workspaceId)
    .where('library_id', '=', libraryId)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
}

export function findDocument(db: Db, place: Place, id: string, now: string): Promise<DocumentRow | undefined> {
  return alive(db, place, now).selectAll().where('id', '=', id).executeTakeFirst();
}

/** For the runner and for signed links, in any library; the caller checks what it may do. */
export function findDocumentById(db: Db, id: string): Promise<DocumentRow | undefined> {
  return db.selectFrom('library_documents').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findDocumentByContent(db: Db, place: Place, sha256: string): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('library_documents')
    .selectAll()
    .where('workspace_id', '=', place.workspaceId)
    .where('library_id', '=', place.libraryId)
    .where('sha256', '=', sha256)
    .executeTakeFirst();
}

export function findDocumentByUrl(db: Db, place: Place, url: string): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('library_documents')
    .selectAll()
    .where('workspace_id', '=', place.workspaceId)
    .where('library_id', '=', place.libraryId)
    .where('url', '=', url)
    .executeTakeFirst();
}

/** The names of those of these documents that are there and have not expired. */
export async function listDocumentNames(db: Db, ids: string[], now: string): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('library_documents')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

type Filter = {
  search: string | undefined;
  attributes: Record<string, unknown>;
  /** All that the search may find are among these documents. */
  among: readonly string[] | undefined;
};

export const searchedDocuments = ({ libraryId }: Place): Searched => ({
  list: 'library_documents',
  scope: { column: 'library_id', id: libraryId },
  texts: ['name_folded'],
});

function matching(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  place: Place,
  { search, attributes, among }: Filter,
  now: string,
): SelectQueryBuilder<Tables, 'library_documents', object> {
  let query = alive(db, place, now, among);
  if (search)
    query = query.where(({ eb, fn, val }) =>
      eb(fn('replace', ['name_folded', val(search), val('')]), '<>', eb.ref('name_folded')),
    );
  for (const [key, value] of Object.entries(attributes))
    query = query
      .where('attributes', 'is not', null)
      .where(({ ref }) => holdsJson(kind, ref('attributes'), key, value));
  return query;
}

const isNarrow = ({ search, attributes }: Filter) => !!search || Object.keys(attributes).length > 0;
const countedDocuments = ({ libraryId }: Place) => ({ list: 'library_documents', scope: libraryId });

/** Documents that nobody sees any more, and that are not deleted yet. */
async function countExpired(db: Db, { workspaceId, libraryId }: Place, now: string): Promise<number> {
  const { count } = await db
    .selectFrom('library_documents')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('expires_at', '<=', now)
    // Not the bare columns, whose indexes would have all documents of the library read.
    .where(sql<string>`library_id || ''`, '=', libraryId)
    .where(sql<string>`workspace_id || ''`, '=', workspaceId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

const SORTED = { name: 'name_folded', size: 'bytes' } as const;
const ALWAYS_SET = new Set(['created_at', 'name_folded']);

export async function listDocuments(
  database: Pick<Database, 'db' | 'kind'>,
  place: Place,
  filter: Filter,
  { page, page_size, sort_by, sort_order }: DocumentsQuery,
  now: string,
): Promise<DocumentRow[]> {
  const column = sort_by === 'name' || sort_by === 'size' ? SORTED[sort_by] : sort_by;
  // Counts are by creation, and include what has expired and is deleted in a moment.
  const isPlaced = column === 'created_at' && page > 0 && !isNarrow(filter);
  const of = isPlaced && (await countExpired(database.db, place, now)) === 0 ? countedDocuments(place) : undefined;
  const start = await findPlace(database.db, of, page * page_size, sort_order);
  if (!start) return [];
  return (
    matching(database, place, filter, now)
      .selectAll()
      .where(isFrom('created_at', start, sort_order))
      // What has no value is last in both directions, on both databases. Where all have one, an index has the order.
      .$if(!ALWAYS_SET.has(column), (query) =>
        query.orderBy(sql`case when ${sql.ref(column)} is null then 1 else 0 end`),
      )
      .orderBy(column, sort_order)
      .orderBy('id', sort_order)
      .limit(page_size)
      .offset(start.offset)
      .execute()
  );
}

export async function countDocuments(
  database: Pick<Database, 'db' | 'kind'>,
  place: Place,
  filter: Filter,
  pageEnd: number,
  now: string,
): Promise<number> {
  if (!isNarrow(filter)) {
    const { amount } = await countListed(database.db, countedDocuments(place));
    return amount - (await countExpired(database.db, place, now));
  }
  const found = matching(database, place, filter, now).select('id');
  return countFound(database.db, found, filter.among, { of: countedDocuments(place), pageEnd });
}

/** False when the library has a document of the same content. */
export async function insertDocument(tx: Tx, { attributes, ...row }: DocumentRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('library_documents')
    .values({ ...row, attributes: attributes === null ? null : JSON.stringify(attributes) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

type Change = Partial<Omit<DocumentRow, 'id' | 'library_id' | 'workspace_id'>>;

export function updateDocument(
  db: Db,
  { workspaceId, libraryId }: Place,
  id: string,
  { attributes, ...change }: Change,
): Promise<DocumentRow | undefined> {
  return db
    .updateTable('library_documents')
    .set({
      ...change,
      ...(attributes === undefined ? {} : { attributes: attributes === null ? null : JSON.stringify(attributes) }),
    })
    .where('workspace_id', '=', workspaceId)
    .where('library_id', '=', libraryId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** With what came inside it, level by level. */
export async function deleteDocuments(tx: Tx, place: Place, ids: string[]): Promise<DocumentRow[]> {
  const deleted: DocumentRow[] = [];
  for (let level = ids; level.length > 0; ) {
    const rows = await tx
      .deleteFrom('library_documents')
      .where('workspace_id', '=', place.workspaceId)
      .where('library_id', '=', place.libraryId)
      .where('id', 'in', level)
      .returningAll()
      .execute();
    await tx.deleteFrom('library_pages').where('document_id', 'in', level).execute();
    deleted.push(...rows);
    const inside = await tx.selectFrom('library_documents').select('id').where('parent_id', 'in', level).execute();
    level = inside.map(({ id }) => id);
  }
  return deleted;
}

export function listExpired(db: Db, now: string, limit: number): Promise<DocumentRow[]> {
  return db.selectFrom('library_documents').selectAll().where('expires_at', '<=', now).limit(limit).execute();
}

/** Contents that a document has. */
export async function findReferenced(db: Db, sha256s: string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('library_documents')
    .select('sha256')
    .distinct()
    .where('sha256', 'in', sha256s)
    .execute();
  return new Set(rows.flatMap(({ sha256 }) => sha256 ?? []));
}

export async function replacePages(
  tx: Tx,
  kind: Database['kind'],
  documentId: string,
  pages: readonly { text: string; leftOut: readonly string[] }[],
): Promise<void> {
  await tx.deleteFrom('library_pages').where('document_id', '=', documentId).execute();
  const write = rowWriter(kind, 'library_pages', ['document_id', 'page', 'text', 'left_out']);
  await write(
    tx,
    pages.map(({ text, leftOut }, page) => [documentId, page, text, JSON.stringify(leftOut)]),
  );
}

/** Some pages of a document, in order. */
export function listPages(
  db: Db,
  documentId: string,
  { first, last, limit }: { first: number; last: number; limit: number },
): Promise<{ page: number; text: string; left_out: string[] | null }[]> {
  return db
    .selectFrom('library_pages')
    .select(['page', 'text', 'left_out'])
    .where('document_id', '=', documentId)
    .where('page', '>=', first)
    .where('page', '<=', last)
    .orderBy('page')
    .limit(limit)
    .execute();
}

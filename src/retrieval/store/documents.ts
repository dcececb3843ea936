import { sql } from 'kysely';
import type { Database, Db, Tx } from '../../kit/db/index.ts';
import { rowWriter } from '../../kit/db/index.ts';
import { firstIdOf } from '../schema/chunk.ts';
import type { ChunkRow, DocumentRow } from './tables.ts';

export type AttributeRow = {
  owner: number;
  span: number;
  collection_no: number;
  field: string;
  text_value: string | null;
  number_value: number | null;
};

const asJson = <T>(value: T): T => JSON.stringify(value) as unknown as T;

export async function insertDocument(tx: Tx, row: DocumentRow): Promise<void> {
  const holder = row.holder && asJson(row.holder);
  await tx
    .insertInto('search_documents')
    .values({ ...row, attributes: asJson(row.attributes), holder })
    .execute();
}

export function findDocument(db: Db, id: number): Promise<DocumentRow | undefined> {
  return db.selectFrom('search_documents').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findLiveDocument(db: Db, collectionNo: number, documentId: string): Promise<DocumentRow | undefined> {
  return ofDocument(db, collectionNo, documentId).selectAll().executeTakeFirst();
}

function ofDocument(db: Db, collectionNo: number, documentId: string) {
  return db
    .selectFrom('search_documents')
    .where('collection_no', '=', collectionNo)
    .where('document_id', '=', documentId)
    .where('is_live', '=', true);
}

/** Takes the document out of every search. Returns the ids to remove. */
export async function retireDocument(tx: Tx, collectionNo: number, documentId: string): Promise<number[]> {
  const rows = await tx
    .updateTable('search_documents')
    .set({ is_live: false })
    .where('collection_no', '=', collectionNo)
    .where('document_id', '=', documentId)
    .where('is_live', '=', true)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function makeLive(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('search_documents').set({ is_live: true }).where('id', '=', id).execute();
}

export async function updateDocument(
  tx: Tx,
  id: number,
  { title, attributes }: Pick<DocumentRow, 'title' | 'attributes'>,
): Promise<void> {
  await tx
    .updateTable('search_documents')
    .set({ title, attributes: asJson(attributes) })
    .where('id', '=', id)
    .execute();
}

export function listDocuments(db: Db, collectionNo: number, afterId: number, limit: number): Promise<DocumentRow[]> {
  return db
    .selectFrom('search_documents')
    .selectAll()
    .where('id', '>', afterId)
    .where('id', '<', firstIdOf(collectionNo + 1))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Left over from a process that died while it wrote or removed them. */
export function listUnused(db: Db, before: string, limit: number): Promise<{ id: number; collection_no: number }[]> {
  return db
    .selectFrom('search_documents')
    .select(['id', 'collection_no'])
    .where('is_live', '=', sql.lit(false))
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .execute();
}

export async function deleteDocument(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('search_documents').where('id', '=', id).execute();
}

const CHUNK_COLUMNS = [
  'id',
  'document',
  'position',
  'kind',
  'text',
  'headings',
  'page',
  'boxes',
  'parent',
  'start_offset',
  'end_offset',
  'fields',
] as const satisfies (keyof ChunkRow)[];

export function createChunkWriter(kind: Database['kind']) {
  const write = rowWriter(kind, 'search_chunks', CHUNK_COLUMNS);
  return async (tx: Tx, rows: ChunkRow[]): Promise<void> => {
    await write(
      tx,
      rows.map((row) => CHUNK_COLUMNS.map((column) => jsonOf(row[column]))),
    );
  };
}

export function createAttributeWriter(kind: Database['kind']) {
  const columns = ['owner', 'span', 'collection_no', 'field', 'text_value', 'number_value'] as const;
  const write = rowWriter(kind, 'search_attributes', columns);
  return async (tx: Tx, rows: AttributeRow[]): Promise<void> => {
    await write(
      tx,
      rows.map((row) => columns.map((column) => row[column])),
    );
  };
}

const jsonOf = (value: unknown) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

export async function deleteAttributes(tx: Tx, firstId: number, count: number): Promise<void> {
  await tx
    .deleteFrom('search_attributes')
    .where('owner', '>=', firstId)
    .where('owner', '<', firstId + count)
    .execute();
}

export async function deleteDocumentAttributes(tx: Tx, { id, reserved }: DocumentRow): Promise<void> {
  await tx.deleteFrom('search_attributes').where('owner', '=', id).where('span', '=', reserved).execute();
}

export async function deleteChunks(tx: Tx, firstId: number, count: number): Promise<void> {
  await tx
    .deleteFrom('search_chunks')
    .where('id', '>=', firstId)
    .where('id', '<', firstId + count)
    .execute();
}

/** Only those of live documents. */
export function readChunks(db: Db, ids: number[]): Promise<(ChunkRow & FoundDocument)[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return withDocument(db).where('search_chunks.id', 'in', ids).execute();
}

export type FoundDocument = Pick<DocumentRow, 'document_id' | 'title' | 'attributes' | 'chunks'>;

function withDocument(db: Db) {
  return db
    .selectFrom('search_chunks')
    .innerJoin('search_documents', 'search_documents.id', 'search_chunks.document')
    .where('search_documents.is_live', '=', true)
    .selectAll('search_chunks')
    .select(['document_id', 'title', 'attributes', 'chunks']);
}

/** Chunks of one document in reading order. */
export function listChunks(db: Db, firstId: number, limit: number, endId?: number): Promise<ChunkRow[]> {
  return db
    .selectFrom('search_chunks')
    .selectAll()
    .where('id', '>=', firstId)
    .$if(endId !== undefined, (query) => query.where('id', '<', endId as number))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Those of one page where one is named; what has no page is on the first. */
export function listDocumentChunks(
  db: Db,
  { id, reserved }: Pick<DocumentRow, 'id' | 'reserved'>,
  { page, after, limit }: { page: number | undefined; after: number | undefined; limit: number },
): Promise<ChunkRow[]> {
  return db
    .selectFrom('search_chunks')
    .selectAll()
    .where('id', '>=', id)
    .where('id', '<', id + reserved)
    .$if(after !== undefined, (query) => query.where('position', '>', after as number))
    .$if(page !== undefined, (query) =>
      query.where(({ or, eb }) =>
        or([eb('page', '=', page as number), ...(page === 0 ? [eb('page', 'is', null)] : [])]),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Chunks from an id on that a set has no vector of yet, of live documents of the collection. */
export function listUnembedded(
  db: Db,
  setNo: number,
  fromId: number,
  endId: number,
  limit: number,
): Promise<Pick<ChunkRow & DocumentRow, 'id' | 'text' | 'headings' | 'title' | 'document'>[]> {
  return db
    .selectFrom('search_chunks')
    .innerJoin('search_documents', 'search_documents.id', 'search_chunks.document')
    .select(['search_chunks.id', 'text', 'headings', 'title', 'document'])
    .where('search_chunks.id', '>=', fromId)
    .where('search_chunks.id', '<', endId)
    .where('search_documents.is_live', '=', true)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('search_vectors')
            .select('search_vectors.id')
            .where('set_no', '=', setNo)
            .whereRef('search_vectors.id', '=', 'search_chunks.id'),
        ),
      ),
    )
    .orderBy('search_chunks.id')
    .limit(limit)
    .execute();
}

/** Whether each of these documents is still live, for a write in the same transaction. */
export async function listLiveIds(tx: Tx, ids: number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom('search_documents')
    .select('id')
    .where('id', 'in', ids)
    .where('is_live', '=', true)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function countEmbedded(
  db: Db,
  collectionNo: number,
  setNo: number | undefined,
  documentIds: string[],
): Promise<{ document_id: string; chunks: number; embedded: number }[]> {
  if (documentIds.length === 0) return [];
  const rows = await db
    .selectFrom('search_documents')
    .select(({ selectFrom, lit }) => [
      'document_id',
      'chunks',
      selectFrom('search_vectors')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where('set_no', '=', setNo ?? 0)
        .whereRef('search_vectors.id', '>=', 'search_documents.id')
        .whereRef('search_vectors.id', '<', sql<number>`search_documents.id + search_documents.reserved`)
        .as('embedded'),
      lit(collectionNo).as('collection_no'),
    ])
    .where('collection_no', '=', collectionNo)
    .where('document_id', 'in', documentIds)
    .where('is_live', '=', true)
    .execute();
  return rows.map(({ document_id, chunks, embedded }) => ({ document_id, chunks, embedded: Number(embedded ?? 0) }));
}

/** The first chunks of some documents. */
export function sampleChunks(db: Db, collectionNo: number, limit: number): Promise<{ title: string; text: string }[]> {
  return db
    .selectFrom('search_documents')
    .innerJoin('search_chunks', 'search_chunks.id', 'search_documents.id')
    .select(['title', 'text'])
    .where('search_documents.id', '>=', firstIdOf(collectionNo))
    .where('search_documents.id', '<', firstIdOf(collectionNo + 1))
    .where('is_live', '=', true)
    .orderBy('search_documents.id')
    .limit(limit)
    .execute();
}

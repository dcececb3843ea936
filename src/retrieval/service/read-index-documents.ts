import type { Db } from '../../kit/db/index.ts';
import { CHUNK_DETAILS, type ChunkDetails } from '../read-index-document.ts';
import { firstIdOf } from '../schema/chunk.ts';
import { listSets } from '../store/collections.ts';
import { listChunks, listDocuments } from '../store/documents.ts';
import { decodeVector } from '../store/encode-vectors.ts';
import type { ChunkRow, DocumentRow } from '../store/tables.ts';
import { readVectors } from '../store/vectors.ts';
import { isCustom } from './vector-sets.ts';

/** So many chunks fill a page, however few documents they are of. */
const CHUNKS_PER_PAGE = 2000;
const CHUNKS_PER_READ = 500;

type Page = { documents: Record<string, unknown>[]; last: number | undefined };

/** Live documents in the form in which they are ingested, with the vectors that nobody here could make again. */
export async function readIndexDocuments(
  db: Db,
  collectionNo: number,
  { after = firstIdOf(collectionNo) - 1, limit }: { after: number | undefined; limit: number },
): Promise<Page> {
  const set = (await listSets(db, collectionNo)).find(({ state, model }) => state === 'live' && isCustom(model));
  const documents: Record<string, unknown>[] = [];
  let chunkCount = 0;
  let last = after;
  while (documents.length < limit && chunkCount < CHUNKS_PER_PAGE) {
    const [row] = await listDocuments(db, collectionNo, last, 1);
    if (!row) return { documents, last: undefined };
    last = row.id;
    if (!row.is_live) continue;
    const chunks = await readAll(db, row);
    const vectors = set ? await vectorsOf(db, set.no, chunks) : undefined;
    documents.push(toDocument(row, chunks, vectors));
    chunkCount += chunks.length;
  }
  return { documents, last };
}

async function readAll(db: Db, row: DocumentRow): Promise<ChunkRow[]> {
  const found: ChunkRow[] = [];
  for (let from = row.id; ; from = (found.at(-1)?.id ?? from) + 1) {
    const chunks = await listChunks(db, from, CHUNKS_PER_READ, row.id + row.reserved);
    found.push(...chunks);
    if (chunks.length < CHUNKS_PER_READ) return found;
  }
}

async function vectorsOf(db: Db, setNo: number, chunks: ChunkRow[]): Promise<Map<number, number[]>> {
  const vectors = new Map<number, number[]>();
  for (let at = 0; at < chunks.length; at += CHUNKS_PER_READ) {
    const ids = chunks.slice(at, at + CHUNKS_PER_READ).map(({ id }) => id);
    for (const { id, vector } of await readVectors(db, setNo, ids)) vectors.set(id, Array.from(decodeVector(vector)));
  }
  return vectors;
}

function toDocument(row: DocumentRow, chunks: ChunkRow[], vectors: Map<number, number[]> | undefined) {
  const { metadata, ...fields } = row.attributes;
  return {
    id: row.document_id,
    ...(row.title !== '' && { title: row.title }),
    ...(metadata !== undefined && { metadata }),
    ...fields,
    chunks: chunks.map((chunk) => toChunk(chunk, vectors?.get(chunk.id))),
  };
}

function toChunk({ text, start_offset, end_offset, fields }: ChunkRow, embedding: number[] | undefined) {
  const { [CHUNK_DETAILS]: kept, ...own } = fields ?? {};
  const { chunk_type, locator, parent_ref, metadata } = (kept ?? {}) as Partial<ChunkDetails>;
  return {
    content: text,
    ...(start_offset !== null && { start_offset }),
    ...(end_offset !== null && { end_offset }),
    ...(chunk_type !== undefined && { chunk_type }),
    ...(locator && { locator }),
    ...(parent_ref && { parent_ref }),
    ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
    ...own,
    ...(embedding && { embedding }),
  };
}

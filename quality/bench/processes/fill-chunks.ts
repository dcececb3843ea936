import SqliteConnection from 'better-sqlite3';
import { sql } from 'kysely';
import { type Database, rowWriter } from '../../../src/kit/db/index.ts';
import type { RetrievalService } from '../../../src/retrieval/index.ts';
import { callerForTests, chunkForTests } from '../../../src/retrieval/retrieval-for-tests.ts';
import { CHUNKS_PER_COLLECTION } from '../../../src/retrieval/schema/chunk.ts';
import { findCollection, listSets, reserveChunks, updateSet } from '../../../src/retrieval/store/collections.ts';
import { createAttributeWriter, createChunkWriter, insertDocument } from '../../../src/retrieval/store/documents.ts';
import { encodeVector, packSigns } from '../../../src/retrieval/store/encode-vectors.ts';
import { hasNearest } from '../../../src/retrieval/store/nearest.ts';
import { insertText } from '../../../src/retrieval/store/text.ts';
import { insertVectors } from '../../../src/retrieval/store/vectors.ts';

export const DIMENSIONS = 512;
export const CHUNKS_PER_DOCUMENT = 50;
export const YEARS = 10;
const CLUSTERS = 2000;
const WORDS = 30_000;
const CHUNKS_PER_STEP = 1000;
const PLACE = { organizationId: 'o1', workspaceId: 'w1' };

/** The same numbers in every run. */
let state = 1;
export const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const normal = (): number => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
/** Few words are frequent and most are rare, as in a language. */
const word = (): string => `w${Math.floor(random() ** 4 * WORDS).toString(36)}`;

const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: DIMENSIONS }, normal));

export function near(centre: Float32Array, spread: number): Float32Array {
  const vector = new Float32Array(centre.length);
  for (let i = 0; i < vector.length; i++) vector[i] = (centre[i] as number) + normal() * spread;
  return vector;
}

export function unit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const scale = 1 / Math.sqrt(sum);
  return vector.map((value) => value * scale);
}

export type Library = { id: string; no: number; vectors: Float32Array[]; texts: string[] };

export type Fill = { name: string; chunks: number; wordsPerChunk: number };

/**
 * Documents of fifty chunks, whose vectors are in clusters and whose words follow Zipf's law. They are written to the
 * tables in large steps: `put` would take an hour, because it leaves the disk to others after every few chunks.
 */
export async function fillLibrary(
  database: Database,
  retrieval: RetrievalService,
  { name, chunks, wordsPerChunk }: Fill,
  onStep: (done: number) => void,
): Promise<Library> {
  const { kind, db } = database;
  const { scope } = callerForTests(PLACE.workspaceId);
  const config = { embedding: { type: 'custom' as const, name: 'bench', dimensions: DIMENSIONS } };
  const { id } = await retrieval.indexes.create(scope, { name, config });
  const ref = { ...PLACE, collectionId: id };
  const collection = await findCollection(db, ref);
  const [set] = collection ? await listSets(db, collection.no) : [];
  if (!collection || !set) throw new Error('the index has no collection, or no set of vectors');
  await database.transaction((tx) => updateSet(tx, set.no, { dimensions: DIMENSIONS }));
  // A small library has about as many chunks of one topic as a large one.
  const clusters = Math.min(CLUSTERS, chunks / CHUNKS_PER_DOCUMENT);
  const library: Library = { id, no: collection.no, vectors: [], texts: [] };
  const writeChunks = createChunkWriter(kind);
  const writeAttributes = createAttributeWriter(kind);
  const prefix = `${collection.no.toString(36)}_`;
  // The last document goes the usual way, which notices how large the library has become.
  for (let first = 0; first < chunks - CHUNKS_PER_DOCUMENT; first += CHUNKS_PER_STEP) {
    const count = Math.min(CHUNKS_PER_STEP, chunks - CHUNKS_PER_DOCUMENT - first);
    const made = Array.from({ length: count }, () => makeChunk(library, clusters, wordsPerChunk));
    await database.transaction(async (tx) => {
      const base = await reserveChunks(tx, collection.no, count);
      if (base === undefined) throw new Error('the index is gone');
      const texts = made.map(({ text }, i) => ({ id: base + i, body: prefix + text.replaceAll(' ', ` ${prefix}`) }));
      for (let i = 0; i < count; i += CHUNKS_PER_DOCUMENT) {
        const year = yearOf(first + i);
        const reserved = Math.min(CHUNKS_PER_DOCUMENT, count - i);
        await insertDocument(tx, {
          ...{ id: base + i, collection_no: collection.no, document_id: `d${first + i}`, title: '', language: 'xx' },
          ...{ attributes: { year }, chunks: reserved, reserved, is_live: true, holder: null, created_at: '' },
        });
        const owner = { owner: base + i, span: reserved, collection_no: collection.no };
        await writeAttributes(tx, [{ ...owner, field: 'year', text_value: null, number_value: year }]);
      }
      await writeChunks(
        tx,
        made.map(({ text }, i) => ({
          ...{ id: base + i, document: base + i - (i % CHUNKS_PER_DOCUMENT), position: i % CHUNKS_PER_DOCUMENT, text },
          ...{ kind: 'text' as const, headings: [], page: null, boxes: [], parent: null },
          ...{ start_offset: null, end_offset: null, fields: null },
        })),
      );
      if (kind === 'sqlite') for (const row of texts) await insertText(tx, kind, { ...row, head: '' });
      else
        await writeWords(
          tx,
          texts.map(({ id: row, body }) => [row, wordsOf(body)]),
        );
      await insertVectors(
        tx,
        kind,
        { no: set.no, dimensions: DIMENSIONS },
        made.map(({ vector }, i) => ({ id: base + i, vector: encodeVector(vector), signs: packSigns(vector) })),
      );
    });
    onStep(first + count);
  }
  const last = chunks - CHUNKS_PER_DOCUMENT;
  const made = Array.from({ length: CHUNKS_PER_DOCUMENT }, () => makeChunk(library, clusters, wordsPerChunk));
  await retrieval.put({
    ...{ ...ref, documentId: `d${last}`, title: '', language: 'xx', attributes: { year: yearOf(last) } },
    chunks: made.map(({ text, vector }, i) => chunkForTests(i, text, { vector: Array.from(vector) })),
  });
  return library;
}

const yearOf = (first: number) => 2000 + ((first / CHUNKS_PER_DOCUMENT) % YEARS);
const writeWords = rowWriter('postgres', 'search_text', ['id', 'words']);
/** As a `tsvector` is written. */
const wordsOf = (body: string) =>
  body
    .split(' ')
    .map((text, i) => `'${text}':${i + 1}`)
    .join(' ');

function makeChunk({ vectors, texts }: Library, clusters: number, words: number) {
  const vector = near(centres[Math.floor(random() * clusters)] as Float32Array, 0.8);
  const text = Array.from({ length: words }, word).join(' ');
  vectors.push(unit(vector));
  texts.push(text);
  return { vector, text };
}

/** An index is built faster after its rows, as a restore of a backup does it. */
export async function withoutTextIndex<T>({ kind, db }: Database, fill: () => Promise<T>): Promise<T> {
  if (kind === 'sqlite') return fill();
  await sql`drop index search_text_by_word`.execute(db);
  const filled = await fill();
  await sql`create index search_text_by_word on search_text using gin (words) with (fastupdate = off)`.execute(db);
  await sql`analyze`.execute(db);
  return filled;
}

/** Of each table: the columns of the copy `:k`, whose ids are `:d` further. */
const COPIED = {
  search_collections:
    "no + :k, organization_id, workspace_id, collection_id || '-' || :k, model, languages, next_chunk, is_removed, created_at",
  search_sets: 'no + :k, collection_no + :k, model, dimensions, state, nearest',
  search_documents:
    'id + :d, collection_no + :k, document_id, title, language, attributes, chunks, reserved, is_live, holder, created_at',
  search_chunks:
    'id + :d, document + :d, position, kind, text, headings, page, boxes, parent, start_offset, end_offset, fields',
  search_attributes: 'owner + :d, span, collection_no + :k, field, text_value, number_value',
  search_vectors: 'set_no + :k, id + :d, vector',
  search_blocks: 'set_no + :k, block_no, present, bits',
};
const OWN = {
  search_collections: 'no = :no',
  search_sets: 'collection_no = :no',
  search_documents: 'collection_no = :no',
  search_chunks: 'id >= :first and id < :end',
  search_attributes: 'collection_no = :no',
  search_vectors: 'set_no = :set',
  search_blocks: 'set_no = :set',
};

/** Copies of a library in the closed database of a file, each with words and vectors of its own. */
export function copyLibrary(file: string, { no }: Library, copies: number, onStep: (done: number) => void): void {
  const connection = new SqliteConnection(file);
  connection.pragma('journal_mode = off');
  connection.pragma('synchronous = off');
  connection.pragma('cache_size = -262144');
  const set = connection.prepare('select no from search_sets where collection_no = ?').pluck().get(no);
  const [first, end] = [no * CHUNKS_PER_COLLECTION, (no + 1) * CHUNKS_PER_COLLECTION];
  for (let k = 1; k <= copies; k++) {
    const values = { k, no, set, first, end, d: k * CHUNKS_PER_COLLECTION };
    connection.exec('begin');
    for (const [table, list] of Object.entries(COPIED))
      connection
        .prepare(`insert into ${table} select ${list} from ${table} where ${OWN[table as keyof typeof OWN]}`)
        .run(values);
    connection
      .prepare(
        'insert into search_text (rowid, body, head) select rowid + :d, replace(body, :old, :new), head from search_text where rowid >= :first and rowid < :end',
      )
      .run({ ...values, old: `${no.toString(36)}_`, new: `${(no + k).toString(36)}_` });
    connection.exec('commit');
    onStep(k);
  }
  connection.close();
}

/**
 * The same on PostgreSQL. A copy has a table of pgvector too, but an empty one: only the library that is searched has its
 * index built, which would take minutes for all of them.
 */
export async function copyLibraryInPostgres(
  database: Database,
  { no }: Library,
  copies: number,
  onStep: (done: number) => void,
): Promise<void> {
  const { rows } = await sql<{ no: string }>`select no from search_sets where collection_no = ${no}`.execute(
    database.db,
  );
  const set = Number(rows[0]?.no);
  const isIndexed = await hasNearest(database.db, set);
  const [first, end] = [no * CHUNKS_PER_COLLECTION, (no + 1) * CHUNKS_PER_COLLECTION];
  await withoutTextIndex(database, async () => {
    for (let k = 1; k <= copies; k++) {
      const values: Record<string, number> = { k, no, set, first, end, d: k * CHUNKS_PER_COLLECTION };
      const fill = (text: string) => text.replaceAll(/(?<!:):([a-z]+)/g, (_, name: string) => String(values[name]));
      await database.transaction(async (tx) => {
        for (const [table, list] of Object.entries(COPIED))
          await sql
            .raw(fill(`insert into ${table} select ${list} from ${table} where ${OWN[table as keyof typeof OWN]}`))
            .execute(tx);
        const words = `replace(words::text, '''${no.toString(36)}_', '''${(no + k).toString(36)}_')::tsvector`;
        const text = `insert into search_text (id, words) select id + :d, ${words} from search_text where id >= :first and id < :end`;
        await sql.raw(fill(text)).execute(tx);
        if (isIndexed)
          await sql
            .raw(`create table search_nearest_${set + k} (like search_nearest_${set} including all)`)
            .execute(tx);
      });
      onStep(k);
    }
  });
}

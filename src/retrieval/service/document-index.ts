import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Holder } from '../../tenants/index.ts';
import { retrievalErrors } from '../errors.ts';
import { CHUNKS_PER_COLLECTION, type NewChunk } from '../schema/chunk.ts';
import { attributeValues } from '../schema/filter.ts';
import {
  type CollectionRef,
  findCollection,
  insertCollection,
  listSets,
  markRemoved,
  reserveChunks,
  updateLanguages,
} from '../store/collections.ts';
import {
  type AttributeRow,
  countEmbedded,
  createAttributeWriter,
  createChunkWriter,
  deleteDocumentAttributes,
  findLiveDocument,
  insertDocument,
  listDocumentChunks,
  makeLive,
  retireDocument,
  updateDocument,
} from '../store/documents.ts';
import type { ChunkRow, CollectionRow, DocumentRow } from '../store/tables.ts';
import { insertText, type TextRow } from '../store/text.ts';
import { detectLanguage } from '../text/detect-language.ts';
import { indexWords } from '../text/index-words.ts';
import type { IndexTasks } from './index-tasks.ts';
import type { VectorSets } from './vector-sets.ts';

export type DocumentRef = { workspaceId: string; collectionId: string; documentId: string };

export type NewDocument = DocumentRef & {
  organizationId: string;
  title: string;
  language: string | null;
  attributes: Record<string, unknown>;
  chunks: NewChunk[];
  /** Who asked for it and pays for its embedding; without one it is the server's own work. */
  holder?: Holder | undefined;
};

export type Progress = { chunks: number; embedded: number };

/** What is searchable of documents. `collectionId` is the id of a library or of a search index. */
export type DocumentIndex = {
  /** Replaces what is indexed of a document, at once for every search. Embedding goes on in the background. */
  put(document: NewDocument): Promise<void>;
  setAttributes(document: DocumentRef & { title: string; attributes: Record<string, unknown> }): Promise<void>;
  /** Whether it was there. No search finds it from now on; its content is removed in the background. */
  removeDocument(document: DocumentRef): Promise<boolean>;
  removeCollection(collection: CollectionRef): Promise<void>;
  /** Chunks of a live document in reading order. `page` counts from 0; what has no page is on the first. */
  listChunks(
    document: DocumentRef & { page: number | undefined; after: number | undefined; limit: number },
  ): Promise<Pick<NewChunk, 'position' | 'text' | 'kind' | 'headings' | 'page' | 'boxes'>[]>;
  progress(collection: CollectionRef & { documentIds: string[] }): Promise<Map<string, Progress>>;
};

export type DocumentIndexPorts = { database: Database; tasks: IndexTasks; sets: VectorSets; now: Clock };

/** Written in one transaction. SQLite's runs on the event loop: four chunks take about two milliseconds of it. */
const CHUNKS_PER_STEP = { sqlite: 4, postgres: 12 };
const CHUNKS_MAX = 200_000;

type Prepared = { chunk: ChunkRow; text: TextRow; attributes: AttributeRow[]; language: string | undefined };

export function createDocumentIndex({ database, tasks, sets, now }: DocumentIndexPorts): DocumentIndex {
  const { db, kind } = database;
  const writeChunks = createChunkWriter(kind);
  const writeAttributes = createAttributeWriter(kind);

  async function ensureCollection(tx: Tx, document: NewDocument): Promise<CollectionRow> {
    const known = await findCollection(tx, document);
    if (known) return known;
    const { organizationId: organization_id, workspaceId: workspace_id, collectionId: collection_id } = document;
    const row = { organization_id, workspace_id, collection_id, model: null, created_at: isoMicros(now) };
    const collection = await insertCollection(tx, kind, row);
    await sets.ensure(tx, collection);
    return collection;
  }

  /** Numbers the chunks; the document stays unseen until `finish`. */
  async function begin(tx: Tx, document: NewDocument): Promise<DocumentRow> {
    const collection = await ensureCollection(tx, document);
    const reserved = Math.max(1, document.chunks.length);
    const id = await reserveChunks(tx, collection.no, reserved);
    if (id === undefined) throw retrievalErrors.collection_removed();
    if ((id % CHUNKS_PER_COLLECTION) + reserved >= CHUNKS_PER_COLLECTION) throw retrievalErrors.collection_full();
    const row: DocumentRow = {
      id,
      collection_no: collection.no,
      document_id: document.documentId,
      title: document.title,
      language: document.language,
      attributes: document.attributes,
      chunks: document.chunks.length,
      reserved,
      is_live: false,
      holder: document.holder ?? null,
      created_at: isoMicros(now),
    };
    await insertDocument(tx, row);
    return row;
  }

  async function write(tx: Tx, prepared: Prepared[]): Promise<void> {
    await writeChunks(
      tx,
      prepared.map(({ chunk }) => chunk),
    );
    await writeAttributes(
      tx,
      prepared.flatMap(({ attributes }) => attributes),
    );
    for (const { text } of prepared) await insertText(tx, kind, text);
  }

  async function finish(tx: Tx, document: NewDocument, row: DocumentRow, languages: Set<string>): Promise<void> {
    const collection = await findCollection(tx, document);
    if (collection?.no !== row.collection_no) throw retrievalErrors.collection_removed();
    const missing = [...languages].filter((language) => !collection.languages.includes(language));
    if (missing.length > 0) await updateLanguages(tx, collection.no, [...collection.languages, ...missing]);
    const replaced = await retireDocument(tx, collection.no, document.documentId);
    await makeLive(tx, row.id);
    await writeAttributes(tx, attributeRows(row.collection_no, row.id, row.reserved, document.attributes));
    await tasks.removeDocuments(tx, collection, replaced);
    await sets.embedDocument(tx, collection, row, document.chunks);
  }

  return {
    async put(document) {
      const chunks = checkChunks(document.chunks);
      const sorted = { ...document, chunks };
      const row = await database.transaction((tx) => begin(tx, sorted));
      const language = document.language ?? detectLanguage(chunks.map(({ text }) => text).join('\n'));
      const languages = new Set<string>();
      const ids = new Map(chunks.map(({ position }, i) => [position, row.id + i]));
      const step = CHUNKS_PER_STEP[kind];
      for (let from = 0; ; from += step) {
        const prepared: Prepared[] = [];
        for (const chunk of chunks.slice(from, from + step)) {
          prepared.push(await prepareChunk(row, language, chunk, ids));
          // Requests that came meanwhile are served first.
          await nextTurn();
        }
        for (const { language: known } of prepared) if (known) languages.add(known);
        const isLast = from + step >= chunks.length;
        await database.transaction(async (tx) => {
          await write(tx, prepared);
          if (isLast) await finish(tx, sorted, row, languages);
        });
        if (isLast) return;
      }
    },
    async setAttributes({ title, attributes, ...ref }) {
      await database.transaction(async (tx) => {
        const collection = await findCollection(tx, ref);
        const row = collection && (await findLiveDocument(tx, collection.no, ref.documentId));
        if (!row) return;
        await deleteDocumentAttributes(tx, row);
        await updateDocument(tx, row.id, { title, attributes });
        await writeAttributes(tx, attributeRows(row.collection_no, row.id, row.reserved, attributes));
      });
    },
    removeDocument: (ref) =>
      database.transaction(async (tx) => {
        // Its owner's rows are gone too, whether or not anything of it is indexed.
        await tasks.overwriteDeleted(tx);
        const collection = await findCollection(tx, ref);
        if (!collection) return false;
        const retired = await retireDocument(tx, collection.no, ref.documentId);
        await tasks.removeDocuments(tx, collection, retired);
        return retired.length > 0;
      }),
    async removeCollection(ref) {
      await database.transaction((tx) => retireCollection(tx, tasks, ref));
    },
    async listChunks({ page, after, limit, ...ref }) {
      const collection = await findCollection(db, ref);
      const row = collection && (await findLiveDocument(db, collection.no, ref.documentId));
      if (!row) return [];
      return (await listDocumentChunks(db, row, { page, after, limit })).map(
        ({ position, text, kind: type, headings, page: on, boxes }) => ({
          position,
          text,
          kind: type,
          headings,
          page: on,
          boxes,
        }),
      );
    },
    async progress({ documentIds, ...ref }) {
      const collection = await findCollection(db, ref);
      if (!collection) return new Map();
      const live = (await listSets(db, collection.no)).find(({ state }) => state === 'live');
      const rows = await countEmbedded(db, collection.no, live?.no, documentIds);
      return new Map(rows.map(({ document_id, chunks, embedded }) => [document_id, { chunks, embedded }]));
    },
  };
}

/** No search finds it from now on; its content is removed in the background. */
export async function retireCollection(tx: Tx, tasks: IndexTasks, ref: CollectionRef): Promise<void> {
  await tasks.overwriteDeleted(tx);
  const collection = await findCollection(tx, ref);
  if (!collection) return;
  await markRemoved(tx, collection.no);
  await tasks.removeCollection(tx, collection);
}

function checkChunks(chunks: NewChunk[]): NewChunk[] {
  if (chunks.length > CHUNKS_MAX) throw retrievalErrors.too_many_chunks(CHUNKS_MAX);
  const sorted = chunks.toSorted((a, b) => a.position - b.position);
  if (sorted.some(({ position }, i) => i > 0 && position === sorted[i - 1]?.position))
    throw new Error('Two chunks of a document have the same position.');
  return sorted;
}

async function prepareChunk(
  row: DocumentRow,
  language: string | null,
  chunk: NewChunk,
  ids: ReadonlyMap<number, number>,
): Promise<Prepared> {
  const id = ids.get(chunk.position) as number;
  const head = [row.title, ...chunk.headings].join(' ');
  const words = await indexWords(row.collection_no, language, chunk.text, head);
  const { text, kind, headings, page, boxes, position, start_offset = null, end_offset = null } = chunk;
  return {
    chunk: {
      id,
      document: row.id,
      position,
      kind,
      text: withoutNul(text),
      headings,
      page,
      boxes,
      parent: chunk.parent === null ? null : (ids.get(chunk.parent) ?? null),
      start_offset,
      end_offset,
      fields: chunk.fields ?? null,
    },
    text: { id, body: words.body, head: words.head },
    attributes: chunk.fields ? attributeRows(row.collection_no, id, 1, chunk.fields) : [],
    language: words.language,
  };
}

// PostgreSQL's text cannot hold this character.
const withoutNul = (text: string): string => text.replaceAll('\0', ' ');

function attributeRows(
  collectionNo: number,
  owner: number,
  span: number,
  attributes: Record<string, unknown>,
): AttributeRow[] {
  return attributeValues(attributes).map((value) => ({ owner, span, collection_no: collectionNo, ...value }));
}

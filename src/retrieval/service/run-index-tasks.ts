import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EmbeddingService } from '../../embeddings/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { hexId } from '../../kit/base/ids.ts';
import type { Logger } from '../../kit/base/log.ts';
import { type Database, NoCalmMoment, type Tx } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { TaskHandler } from '../../kit/tasks/index.ts';
import { canEmbed, type ModelService } from '../../models/index.ts';
import type { Authority, Holder } from '../../tenants/index.ts';
import { retrievalErrors } from '../errors.ts';
import { firstIdOf } from '../schema/chunk.ts';
import { deleteCollection, deleteSet, findCollectionByNo, findSet, listSets, updateSet } from '../store/collections.ts';
import {
  deleteAttributes,
  deleteChunks,
  deleteDocument,
  findDocument,
  listDocuments,
  listUnembedded,
  listUnused,
} from '../store/documents.ts';
import { decodeVector } from '../store/encode-vectors.ts';
import { deleteIndex, listOrphanedIndexes } from '../store/indexes.ts';
import { createNearest, createNearestIndex, deleteNearest, dropNearest, insertNearest } from '../store/nearest.ts';
import type { CollectionRow, DocumentRow, SetRow } from '../store/tables.ts';
import { deleteText, overwriteFreed } from '../store/text.ts';
import { deleteSetVectors, deleteVectors, listVectors, lockSet } from '../store/vectors.ts';
import { retireCollection } from './document-index.ts';
import type { IndexTask, IndexTasks } from './index-tasks.ts';
import type { VectorSets } from './vector-sets.ts';
import type { ModelWatch } from './watch-models.ts';

export type IndexTaskPorts = {
  database: Database;
  tasks: IndexTasks;
  sets: VectorSets;
  models: Pick<ModelService, 'find'>;
  embeddings: EmbeddingService;
  authority: Pick<Authority, 'scopeOf'>;
  watch: ModelWatch;
  now: Clock;
  log: Logger;
};

/** The numbers of so many vectors take the event loop a millisecond or two. */
const TEXTS_MAX = 16;
/** Well within the tokens that one request for embeddings may have. */
const CHARACTERS_MAX = 20_000;
const TEXT_CHARACTERS_MAX = 16_000;
/** Removing a chunk's words from SQLite's index takes milliseconds. */
const REMOVED_PER_STEP = 4;
const WINDOW = 2048;
const VECTORS_PER_STEP = 200;
const COPIED_PER_STEP = 200;
const UNUSED_MS = 60 * 60 * 1000;
const UNUSED_MAX = 1000;

/** A task that ends so waits for the model. */
class ModelMissing extends Error {}

type Pending = Awaited<ReturnType<typeof listUnembedded>>[number];

/** Each task looks at what is missing, so that one that was cut off goes on where it stopped. */
export function createIndexTaskHandler(ports: IndexTaskPorts): { run: TaskHandler; prune(): Promise<void> } {
  const { database, tasks, sets, models, embeddings, authority, watch, now, log } = ports;
  const { db, kind } = database;

  async function embedDocument(documentId: number, setNo: number, signal: AbortSignal): Promise<void> {
    const row = await findDocument(db, documentId);
    const set = await findSet(db, setNo);
    const collection = row && (await findCollectionByNo(db, row.collection_no));
    if (!row?.is_live || !set || set.state === 'old' || !collection || collection.is_removed) return;
    try {
      await embedRange(collection, set, row.id, row.id + row.reserved, row.holder, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || ![401, 403].includes(error.status)) throw error;
      // Its words are searchable all the same; the next change of the document asks again.
      log.warn(
        { document: row.document_id, err: error },
        'a document is not embedded: who asked for it may not any more',
      );
    }
  }

  async function embedRange(
    collection: CollectionRow,
    set: SetRow,
    fromId: number,
    endId: number,
    holder: Holder | null,
    signal: AbortSignal,
  ): Promise<void> {
    for (let next = fromId; next < endId; ) {
      signal.throwIfAborted();
      // In windows, because a look over a whole collection that misses nothing would take long.
      const windowEnd = Math.min(endId, next + WINDOW);
      const pending = takeBatch(await listUnembedded(db, set.no, next, windowEnd, TEXTS_MAX));
      const last = pending.at(-1);
      if (!last) {
        next = windowEnd;
        await nextTurn();
        continue;
      }
      const vectors = await embed(collection, set, pending.map(toText), holder, signal).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
        if ((error as ApiError).status !== 429) watch.missing(set.model, error);
        throw new ModelMissing(set.model, { cause: error });
      });
      watch.there(set.model);
      await database.transaction((tx) =>
        sets.store(
          tx,
          set,
          pending.map(({ id, document }, i) => ({ id, document, vector: vectors[i] as ArrayLike<number> })),
        ),
      );
      next = last.id + 1;
    }
  }

  /** What somebody asked for is paid by its workspace, while they may; a change of the model is the operator's. */
  async function embed(
    { workspace_id, organization_id }: CollectionRow,
    set: SetRow,
    texts: string[],
    holder: Holder | null,
    signal: AbortSignal,
  ): Promise<ArrayLike<number>[]> {
    if (holder) {
      const scope = { ...(await authority.scopeOf(holder, 'embeddings:write')), isBackground: true };
      const call = { scope, requestId: hexId(), signal, setHeader: () => undefined };
      const response = await embeddings.embed(call, {
        model: set.model,
        input: texts,
        output_dtype: 'float',
        encoding_format: 'float',
      });
      return response.data.map(({ embedding }) => embedding as number[]);
    }
    const model = models.find(set.model, workspace_id, 'embeddings');
    if (!model?.engine.embed || !canEmbed(model)) throw retrievalErrors.vectors_unavailable();
    const tenant = { organization: organization_id, key: workspace_id, isBackground: true };
    return (await model.engine.embed(texts, signal, undefined, undefined, tenant)).vectors;
  }

  async function buildSet(collectionNo: number, setNo: number, signal: AbortSignal): Promise<void> {
    const set = await findSet(db, setNo);
    const collection = await findCollectionByNo(db, collectionNo);
    if (!set || set.state === 'old' || !collection || collection.is_removed) return;
    const first = firstIdOf(collectionNo);
    await embedRange(collection, set, first, first + collection.next_chunk, null, signal);
    await database.transaction(async (tx) => {
      const current = await findSet(tx, setNo);
      if (current?.state !== 'building') return;
      for (const old of await listSets(tx, collectionNo)) {
        if (old.no === setNo || old.state === 'old') continue;
        await updateSet(tx, old.no, { state: 'old' });
        await tasks.removeSet(tx, collection, old.no);
      }
      await updateSet(tx, setNo, { state: 'live' });
      log.info({ collection: collection.collection_id, model: current.model }, 'a collection has its new vectors');
    });
  }

  async function buildNearest(setNo: number, signal: AbortSignal): Promise<void> {
    const dimensions = await database.transaction(async (tx) => {
      await lockSet(tx, kind, setNo);
      const set = await findSet(tx, setNo);
      if (!set?.dimensions || set.state === 'old' || (set.nearest !== null && set.nearest !== 'building')) return null;
      await createNearest(tx, setNo, set.dimensions);
      await updateSet(tx, setNo, { nearest: 'building' });
      return set.dimensions;
    });
    if (dimensions === null) return;
    for (let last = 0; ; ) {
      signal.throwIfAborted();
      const vectors = await listVectors(db, setNo, last, COPIED_PER_STEP);
      if (vectors.length === 0) break;
      const rows = vectors.map(({ id, vector }) => ({ id, vector: decodeVector(vector) }));
      await database.transaction((tx) => insertNearest(tx, setNo, rows));
      last = vectors.at(-1)?.id ?? last;
    }
    await database.transaction(async (tx) => {
      const indexed = await createNearestIndex(tx, setNo, dimensions);
      await updateSet(tx, setNo, { nearest: indexed === 'signs' ? 'signs' : 'ready' });
    });
  }

  async function removeSet(setNo: number, signal: AbortSignal): Promise<void> {
    await database.transaction(async (tx) => {
      await dropNearest(tx, kind, setNo);
      await updateSet(tx, setNo, { nearest: null });
    });
    while (await database.transaction((tx) => deleteSetVectors(tx, setNo, VECTORS_PER_STEP))) {
      signal.throwIfAborted();
      await nextTurn();
    }
    await database.transaction((tx) => deleteSet(tx, setNo));
  }

  async function removeDocument({ id, reserved, collection_no }: DocumentRow, signal: AbortSignal): Promise<void> {
    for (let from = 0; from < reserved; from += REMOVED_PER_STEP) {
      signal.throwIfAborted();
      const count = Math.min(REMOVED_PER_STEP, reserved - from);
      await database.transaction((tx) => removeChunks(tx, collection_no, id + from, count));
      // Requests come first: removal has time.
      await nextTurn();
    }
    await database.transaction(async (tx) => {
      await overwriteFreed(tx, kind, true);
      await deleteDocument(tx, id);
      await overwriteFreed(tx, kind, false);
      await tasks.overwriteDeleted(tx);
    });
  }

  async function removeChunks(tx: Tx, collectionNo: number, firstId: number, count: number): Promise<void> {
    await overwriteFreed(tx, kind, true);
    for (const { no, nearest } of await listSets(tx, collectionNo)) {
      await deleteVectors(tx, kind, no, firstId, count);
      if (nearest !== null) await deleteNearest(tx, no, firstId, count);
    }
    await deleteText(tx, kind, firstId, count);
    await deleteAttributes(tx, firstId, count);
    await deleteChunks(tx, firstId, count);
    await overwriteFreed(tx, kind, false);
  }

  async function removeCollection(no: number, signal: AbortSignal): Promise<void> {
    for (const set of await listSets(db, no)) {
      await database.transaction((tx) => updateSet(tx, set.no, { state: 'old' }));
      await removeSet(set.no, signal);
    }
    for (;;) {
      const documents = await listDocuments(db, no, firstIdOf(no) - 1, 100);
      if (documents.length === 0) break;
      for (const row of documents) await removeDocument(row, signal);
    }
    await database.transaction(async (tx) => {
      await deleteCollection(tx, no);
      await tasks.overwriteDeleted(tx);
    });
  }

  async function handle(task: IndexTask, signal: AbortSignal): Promise<void> {
    switch (task.kind) {
      case 'embed':
        return embedDocument(task.document, task.set, signal);
      case 'build-set':
        return buildSet(task.collection, task.set, signal);
      case 'build-nearest':
        return buildNearest(task.set, signal);
      case 'remove-set':
        return removeSet(task.set, signal);
      case 'remove-document': {
        const row = await findDocument(db, task.document);
        return row && !row.is_live ? removeDocument(row, signal) : undefined;
      }
      case 'remove-collection':
        return removeCollection(task.collection, signal);
      case 'overwrite':
        return database.overwriteDeleted();
    }
  }

  return {
    run: (task, { signal }) =>
      handle(task.payload as IndexTask, signal).catch((error: unknown) => {
        if (!(error instanceof ModelMissing || error instanceof NoCalmMoment)) throw error;
        return database.transaction((tx) => tasks.postpone(tx, task));
      }),
    async prune() {
      const unused = await listUnused(
        db,
        isoMicros(() => now() - UNUSED_MS),
        UNUSED_MAX,
      );
      for (const { id, collection_no } of unused) {
        const collection = await findCollectionByNo(db, collection_no);
        if (collection) await database.transaction((tx) => tasks.removeDocuments(tx, collection, [id]));
      }
      for (const { id, workspace_id } of await listOrphanedIndexes(db, UNUSED_MAX))
        await database.transaction(async (tx) => {
          await deleteIndex(tx, workspace_id, id);
          await retireCollection(tx, tasks, { workspaceId: workspace_id, collectionId: id });
        });
    },
  };
}

/** Weights that are not here, an engine that starts or is busy, or a model that is not served any more. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return [429, 503].includes(error.status) || ['vectors_unavailable', 'unknown_model'].includes(error.code ?? '');
}

/** The title and the headings say what a passage is about that does not say it itself. */
function toText({ title, headings, text }: Pending): string {
  const head = [title, ...headings].filter((part) => part !== '').join(' › ');
  const whole = head === '' ? text : `${head}\n${text}`;
  return whole.slice(0, TEXT_CHARACTERS_MAX) || ' ';
}

function takeBatch(pending: Pending[]): Pending[] {
  let characters = 0;
  const end = pending.findIndex((chunk, i) => {
    characters += toText(chunk).length;
    return i > 0 && characters > CHARACTERS_MAX;
  });
  return end < 0 ? pending : pending.slice(0, end);
}

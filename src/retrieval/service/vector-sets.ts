import type { Database, Tx } from '../../kit/db/index.ts';
import { retrievalErrors } from '../errors.ts';
import type { NewChunk } from '../schema/chunk.ts';
import { findCollectionByNo, findSet, insertSet, listSets, updateSet } from '../store/collections.ts';
import { listLiveIds } from '../store/documents.ts';
import { decodeVector, encodeVector, packSigns } from '../store/encode-vectors.ts';
import { insertNearest, NEAREST_DIMENSIONS_MAX } from '../store/nearest.ts';
import type { CollectionRow, DocumentRow, SetRow } from '../store/tables.ts';
import { countVectors, insertVectors, lockSet } from '../store/vectors.ts';
import type { IndexTasks } from './index-tasks.ts';

/** The model name of a collection whose vectors are made elsewhere. */
export const CUSTOM_PREFIX = 'custom:';
export const isCustom = (model: string): boolean => model.startsWith(CUSTOM_PREFIX);

export type Embedded = { id: number; document: number; vector: ArrayLike<number> };

export type VectorSets = {
  /** The set that the collection's model needs, made where it is missing. */
  ensure(tx: Tx, collection: CollectionRow): Promise<void>;
  /** Asks for the document's vectors in each set, or stores those that came with it. */
  embedDocument(tx: Tx, collection: CollectionRow, row: DocumentRow, chunks: NewChunk[]): Promise<void>;
  /** Stores vectors of documents that are still live. */
  store(tx: Tx, set: SetRow, vectors: Embedded[]): Promise<void>;
};

export function createVectorSets(ports: {
  database: Pick<Database, 'kind'>;
  tasks: IndexTasks;
  /** The id of the configured model; undefined where there is none. */
  model: () => string | undefined;
  /** Whether PostgreSQL has pgvector. */
  hasNearest: () => boolean;
  /** Smaller sets are scanned: that is as fast, and finds all. */
  nearestMin: number;
}): VectorSets {
  const { tasks, model, hasNearest, nearestMin } = ports;
  const { kind } = ports.database;

  async function store(tx: Tx, { no }: SetRow, vectors: Embedded[]): Promise<void> {
    // Read under the lock: whoever builds a table for pgvector copies what was stored before it.
    await lockSet(tx, kind, no);
    const set = await findSet(tx, no);
    if (!set || set.state === 'old') return;
    const live = await listLiveIds(tx, [...new Set(vectors.map(({ document }) => document))]);
    const wanted = vectors.filter(({ document }) => live.has(document));
    if (wanted.length === 0) return;
    const dimensions = set.dimensions ?? (wanted[0] as Embedded).vector.length;
    if (set.dimensions === null) await updateSet(tx, set.no, { dimensions });
    const odd = wanted.find(({ vector }) => vector.length !== dimensions);
    if (odd) throw retrievalErrors.vector_length_differs(odd.vector.length, dimensions);
    const rows = wanted.map(({ id, vector }) => ({ id, vector: encodeVector(vector), signs: packSigns(vector) }));
    await insertVectors(tx, kind, { no: set.no, dimensions }, rows);
    if (kind === 'sqlite') return;
    if (set.nearest !== null) {
      const decoded = rows.map(({ id, vector }) => ({ id, vector: decodeVector(vector) }));
      return insertNearest(tx, set.no, decoded);
    }
    if (!hasNearest() || dimensions > NEAREST_DIMENSIONS_MAX) return;
    if ((await countVectors(tx, set.no, nearestMin)) < nearestMin) return;
    const collection = await findCollectionByNo(tx, set.collection_no);
    if (collection) await tasks.buildNearest(tx, collection, set.no);
  }

  return {
    store,
    async ensure(tx, collection) {
      const wanted = collection.model ?? model();
      if (wanted === undefined) return;
      const sets = await listSets(tx, collection.no);
      if (sets.some((set) => set.model === wanted && set.state !== 'old')) return;
      const isFirst = !sets.some(({ state }) => state === 'live');
      const set = await insertSet(tx, kind, {
        collection_no: collection.no,
        model: wanted,
        state: isFirst ? 'live' : 'building',
      });
      if (!isCustom(wanted)) await tasks.buildSet(tx, collection, set.no);
    },
    async embedDocument(tx, collection, row, chunks) {
      if (row.chunks === 0) return;
      for (const set of await listSets(tx, collection.no)) {
        if (set.state === 'old') continue;
        if (!isCustom(set.model)) await tasks.embed(tx, collection, row.id, set.no);
        else {
          const given = chunks.flatMap(({ vector }, i) =>
            vector ? [{ id: row.id + i, document: row.id, vector }] : [],
          );
          await store(tx, set, given);
        }
      }
    },
  };
}

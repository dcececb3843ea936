import type { Clock } from '../../kit/base/clock.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { RunningTask, Tasks } from '../../kit/tasks/index.ts';
import type { CollectionRow } from '../store/tables.ts';

export const INDEX_QUEUE = 'retrieval';

export type IndexTask =
  /** Gives a document's chunks their vectors. */
  | { kind: 'embed'; document: number; set: number; tries?: number }
  /** Gives a whole collection the vectors of another model. */
  | { kind: 'build-set'; collection: number; set: number; tries?: number }
  | { kind: 'build-nearest'; set: number }
  | { kind: 'remove-set'; set: number }
  | { kind: 'remove-document'; document: number }
  | { kind: 'remove-collection'; collection: number }
  /** Clears what removed rows left in SQLite's file. */
  | { kind: 'overwrite'; turn: number; tries?: number };

type WaitingTask = Extract<IndexTask, { kind: 'embed' | 'build-set' | 'overwrite' }>;

type Owner = Pick<CollectionRow, 'organization_id' | 'workspace_id'>;

/** Removal comes before work that may be in vain. */
const PRIORITY = { remove: 50, embed: 100, build: 200 };
const ATTEMPTS_MAX = 20;
/** It takes as long as a server may live that is killed again and again, and is never to blame for that. */
const OVERWRITE_ATTEMPTS_MAX = 1000;
/** Removals of so long a time share one look over the file. */
const OVERWRITE_EVERY_MS = 15_000;

/** The first wait for a model that is not there, or for a calm moment; each doubles. */
const WAIT_MS = 15_000;
const WAIT_MS_MAX = 15 * 60 * 1000;

export type IndexTasks = {
  embed(tx: Tx, owner: Owner, document: number, set: number): Promise<void>;
  buildSet(tx: Tx, owner: Owner & { no: number }, set: number): Promise<void>;
  buildNearest(tx: Tx, owner: Owner, set: number): Promise<void>;
  removeSet(tx: Tx, owner: Owner, set: number): Promise<void>;
  removeDocuments(tx: Tx, owner: Owner, documents: number[]): Promise<void>;
  removeCollection(tx: Tx, owner: Owner & { no: number }): Promise<void>;
  /** Ends the task and asks for it again later. It is never given up: only its model or a calm moment is missing. */
  postpone(tx: Tx, task: RunningTask): Promise<void>;
  /** Soon after this transaction, whose removals it covers. */
  overwriteDeleted(tx: Tx): Promise<void>;
};

const attemptsMaxOf = ({ kind }: IndexTask) => (kind === 'overwrite' ? OVERWRITE_ATTEMPTS_MAX : ATTEMPTS_MAX);
const dedupeKeyOf = (payload: IndexTask): string => Object.values(payload).join(':');

export function createIndexTasks(tasks: Tasks, { kind, now }: { kind: Database['kind']; now: Clock }): IndexTasks {
  async function enqueue(tx: Tx, owner: Owner, priority: number, payload: IndexTask): Promise<void> {
    await tasks.enqueue(tx, {
      queue: INDEX_QUEUE,
      payload,
      priority,
      attemptsMax: attemptsMaxOf(payload),
      dedupeKey: dedupeKeyOf(payload),
      tenant: { organization: owner.organization_id, key: owner.workspace_id },
    });
  }
  return {
    embed: (tx, owner, document, set) => enqueue(tx, owner, PRIORITY.embed, { kind: 'embed', document, set }),
    buildSet: (tx, owner, set) => enqueue(tx, owner, PRIORITY.build, { kind: 'build-set', collection: owner.no, set }),
    buildNearest: (tx, owner, set) => enqueue(tx, owner, PRIORITY.build, { kind: 'build-nearest', set }),
    removeSet: (tx, owner, set) => enqueue(tx, owner, PRIORITY.remove, { kind: 'remove-set', set }),
    async removeDocuments(tx, owner, documents) {
      for (const document of documents)
        await enqueue(tx, owner, PRIORITY.remove, { kind: 'remove-document', document });
    },
    removeCollection: (tx, owner) =>
      enqueue(tx, owner, PRIORITY.remove, { kind: 'remove-collection', collection: owner.no }),
    async postpone(tx, task) {
      const { tries = 0, ...work } = task.payload as WaitingTask;
      await task.complete(tx);
      await tasks.enqueue(tx, {
        queue: INDEX_QUEUE,
        payload: { ...work, tries: tries + 1 } satisfies IndexTask,
        priority: task.priority,
        attemptsMax: attemptsMaxOf(work),
        dedupeKey: dedupeKeyOf(work),
        runAtMs: now() + Math.min(WAIT_MS * 2 ** tries, WAIT_MS_MAX),
        ...(task.tenant !== null && { tenant: { organization: task.tenant, key: task.tenant_key ?? '' } }),
      });
    },
    async overwriteDeleted(tx) {
      if (kind !== 'sqlite') return;
      // A task that runs already may have begun before this removal, so each turn has its own.
      const turn = Math.floor(now() / OVERWRITE_EVERY_MS) + 1;
      await tasks.enqueue(tx, {
        queue: INDEX_QUEUE,
        payload: { kind: 'overwrite', turn } satisfies IndexTask,
        priority: PRIORITY.remove,
        attemptsMax: OVERWRITE_ATTEMPTS_MAX,
        dedupeKey: `overwrite:${turn}`,
        runAtMs: turn * OVERWRITE_EVERY_MS,
      });
    },
  };
}

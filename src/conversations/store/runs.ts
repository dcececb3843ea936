import type { ColumnType, Insertable, Selectable } from 'kysely';
import { type Db, prepareFor, type Tables, type Tx } from '../../kit/db/index.ts';
import type { Outcome, Progress, RunResponse, RunState, RunTask } from '../schema/run.ts';
import type { Owner } from './conversations.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    conversation_runs: {
      id: string;
      conversation_id: string;
      workspace_id: string;
      user_id: string;
      state: RunState;
      task: ColumnType<RunTask, string, string>;
      progress: ColumnType<Progress, string, string>;
      outcome: ColumnType<Outcome | null, string | null, string | null>;
      /** The position of the run's first own entry, after the client's inputs. */
      output_from: number;
      /** The number of the event before its first one. */
      event_from: number;
      /** The number of its last event, once it has ended. */
      event_to: number | null;
      principal: string;
      idempotency_key: string | null;
      request_hash: string | null;
      created_ms: number;
      /** Null when it is no stored response, or one that was deleted. */
      response: ColumnType<RunResponse | null, string | null, string | null>;
    };
  }
}

export type RunRow = Selectable<Tables['conversation_runs']>;

type NewRun = Insertable<Tables['conversation_runs']>;
/** In this order. */
const COLUMNS = [
  ...(['id', 'conversation_id', 'workspace_id', 'user_id', 'state', 'task', 'progress', 'outcome'] as const),
  ...(['output_from', 'event_from', 'event_to', 'principal', 'idempotency_key', 'request_hash'] as const),
  ...(['created_ms', 'response'] as const),
];
const insertRow = prepareFor((db, ...values: unknown[]) =>
  db
    .insertInto('conversation_runs')
    .values(Object.fromEntries(COLUMNS.map((column, index) => [column, values[index]])) as unknown as NewRun),
);

export async function insertRun(tx: Tx, row: RunRow): Promise<void> {
  const encoded: NewRun = {
    ...row,
    task: JSON.stringify(row.task),
    progress: JSON.stringify(row.progress),
    outcome: row.outcome === null ? null : JSON.stringify(row.outcome),
    response: row.response === null ? null : JSON.stringify(row.response),
  };
  await insertRow(tx, ...COLUMNS.map((column) => encoded[column]));
}

export function findRun(db: Db, id: string): Promise<RunRow | undefined> {
  return db.selectFrom('conversation_runs').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findRunByKey(db: Db, principal: string, key: string): Promise<RunRow | undefined> {
  return db
    .selectFrom('conversation_runs')
    .selectAll()
    .where('principal', '=', principal)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
}

export function findNewestRun(db: Db, owner: Owner, conversationId: string): Promise<RunRow | undefined> {
  return db
    .selectFrom('conversation_runs')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id)
    .orderBy('created_ms', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function updateProgress(tx: Tx, id: string, progress: Progress): Promise<void> {
  await tx
    .updateTable('conversation_runs')
    .set({ progress: JSON.stringify(progress) })
    .where('id', '=', id)
    .execute();
}

const end = prepareFor((db, state: RunState, progress: string, outcome: string, event_to: number, id: string) =>
  db.updateTable('conversation_runs').set({ state, progress, outcome, event_to }).where('id', '=', id),
);

export async function endRun(
  tx: Tx,
  id: string,
  { state, progress, outcome, event_to }: Pick<RunRow, 'state' | 'progress'> & { outcome: Outcome; event_to: number },
): Promise<void> {
  await end(tx, state, JSON.stringify(progress), JSON.stringify(outcome), event_to, id);
}

/** Ended runs made before the given time, oldest first. */
export function listEndedRuns(
  db: Db,
  beforeMs: number,
  limit: number,
): Promise<{ id: string; conversation_id: string }[]> {
  return db
    .selectFrom('conversation_runs')
    .select(['id', 'conversation_id'])
    .where('created_ms', '<', beforeMs)
    .where('state', '<>', 'running')
    .orderBy('created_ms')
    .limit(limit)
    .execute();
}

export function deleteRuns(tx: Tx, ids: string[]): Promise<RunRow[]> {
  return tx.deleteFrom('conversation_runs').where('id', 'in', ids).returningAll().execute();
}

export function findOldestRun(db: Db, conversationId: string): Promise<{ event_from: number } | undefined> {
  return db
    .selectFrom('conversation_runs')
    .select('event_from')
    .where('conversation_id', '=', conversationId)
    .orderBy('created_ms')
    .executeTakeFirst();
}

/** Frees an expired idempotency key whose run is still stored. */
export async function clearExpiredKey(tx: Tx, principal: string, key: string, beforeMs: number): Promise<void> {
  await tx
    .updateTable('conversation_runs')
    .set({ idempotency_key: null })
    .where('principal', '=', principal)
    .where('idempotency_key', '=', key)
    .where('created_ms', '<', beforeMs)
    .execute();
}

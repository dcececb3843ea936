import { type Insertable, sql } from 'kysely';
import { isoMicros } from '../../base/clock.ts';
import { uuidv7 } from '../../base/ids.ts';
import { type Database, prepareFor, type Tables, type Tx } from '../../db/index.ts';
import type { TaskState } from './tables.ts';

const PRIORITY = 100;
const ATTEMPTS_MAX = 5;
const ROWS_PER_INSERT_MAX = 128;
const DEDUPE_TRIES = 10;

/** A literal in the statement: planners use the partial index of dedupe keys only if they see its condition. */
export const DEAD = sql.lit<TaskState>('dead');

export type NewTask = {
  queue: string;
  /** Any JSON value. */
  payload: unknown;
  /** Not before this time; unset = at once. */
  runAtMs?: number;
  /** Lower first; default 100. */
  priority?: number;
  /** Default 5. */
  attemptsMax?: number;
  /** While a task of the queue with this key waits or runs, no second one is made. */
  dedupeKey?: string;
  /** Whose it is, for a queue with `turns`. */
  tenant?: { organization: string; key: string };
};

type NewRow = Insertable<Tables['tasks']>;

export function rowOf(task: NewTask, nowMs: number, repeatMs: number | null = null) {
  const runAtMs = task.runAtMs ?? nowMs;
  const isDelayed = runAtMs > nowMs;
  return {
    id: uuidv7(nowMs),
    queue: task.queue,
    payload: JSON.stringify(task.payload ?? null),
    priority: task.priority ?? PRIORITY,
    run_at_ms: runAtMs,
    due_ms: isDelayed ? runAtMs : null,
    repeat_ms: repeatMs,
    attempt: 0,
    attempts_max: task.attemptsMax ?? ATTEMPTS_MAX,
    lease_token: 0,
    dedupe_key: task.dedupeKey ?? null,
    tenant: task.tenant?.organization ?? null,
    tenant_key: task.tenant?.key ?? null,
    last_error: null,
    state: isDelayed ? 'delayed' : 'ready',
    created_at: isoMicros(() => nowMs),
  } satisfies NewRow;
}

/** In this order. */
const COLUMNS = [
  ...(['id', 'queue', 'payload', 'priority', 'run_at_ms', 'due_ms', 'repeat_ms', 'attempt', 'attempts_max'] as const),
  ...(['lease_token', 'dedupe_key', 'tenant', 'tenant_key', 'last_error', 'state', 'created_at'] as const),
];
const insertOne = prepareFor((db, ...values: unknown[]) =>
  db
    .insertInto('tasks')
    .values(Object.fromEntries(COLUMNS.map((column, index) => [column, values[index]])) as unknown as NewRow),
);

/** Inserts a task that its creator runs at once: running from the start, under the creator's lease. */
export async function insertStarted(tx: Tx, task: NewTask, nowMs: number, leasedUntilMs: number) {
  const row = rowOf({ ...task, runAtMs: nowMs }, nowMs);
  const started = { ...row, state: 'running' as const, due_ms: leasedUntilMs, attempt: 1, lease_token: 1 };
  await insertOne(tx, ...COLUMNS.map((column) => started[column]));
  return started;
}

/** Returns one id per row, in order: its own, or that of the live task which holds its dedupe key. */
export async function insertTasks(tx: Tx, kind: Database['kind'], rows: NewRow[]): Promise<string[]> {
  const ids: string[] = [];
  for (const chunk of chunksOf(rows)) {
    const inserted = await insert(tx, chunk);
    for (const row of chunk) ids.push(inserted.has(row.id) ? row.id : await insertOrFind(tx, kind, row));
  }
  return ids;
}

async function insert(tx: Tx, rows: NewRow[]): Promise<Set<string>> {
  const inserted = await tx
    .insertInto('tasks')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return new Set(inserted.map(({ id }) => id));
}

// The other task may have ended between the insert and the select; then the insert is tried again.
async function insertOrFind(tx: Tx, kind: Database['kind'], row: NewRow): Promise<string> {
  for (let tries = 0; tries < DEDUPE_TRIES; tries++) {
    const found = await findLive(tx, kind, row);
    if (found) return found.id;
    if ((await insert(tx, [row])).size > 0) return row.id;
  }
  throw new Error(`The task ${row.dedupe_key} of queue ${row.queue} kept ending while another was enqueued.`);
}

// The lock keeps the task from ending before the caller's transaction does, so its completion sees what the caller wrote.
function findLive(tx: Tx, kind: Database['kind'], row: NewRow): Promise<{ id: string } | undefined> {
  return tx
    .selectFrom('tasks')
    .select('id')
    .where('queue', '=', row.queue)
    .where('dedupe_key', '=', row.dedupe_key ?? null)
    .where('state', '<>', DEAD)
    .$if(kind === 'postgres', (query) => query.forShare())
    .executeTakeFirst();
}

// Only powers of two, so that few different statements fill the cache of prepared ones.
function* chunksOf(rows: NewRow[]): Generator<NewRow[]> {
  let start = 0;
  for (let size = ROWS_PER_INSERT_MAX; size >= 1; size /= 2) {
    for (; rows.length - start >= size; start += size) yield rows.slice(start, start + size);
  }
}

import { type ColumnType, type Selectable, type SqlBool, sql } from 'kysely';
import type { Json } from '../../../packages/workflows/src/protocol.ts';
import {
  type Database,
  type Db,
  inOrder,
  isBeyond,
  padValues,
  type Sized,
  storedBytes,
  type Tables,
  type Tx,
} from '../../kit/db/index.ts';
import type { SchedulePolicy, TimetableDefinition } from '../schema/schedules.ts';
import { OPEN_STATUSES } from '../schema/statuses.ts';

/** Why the platform paused a schedule by itself. */
export type PauseCause = 'too_expensive' | 'unreadable' | 'execution_failed' | 'authority_lost';

/** The definition as the client sent it. */
export type StoredDefinition = TimetableDefinition & { policy: SchedulePolicy };

declare module '../../kit/db/tables.ts' {
  interface Tables {
    workflow_schedules: {
      workspace_id: string;
      id: string;
      organization_id: string;
      user_id: string;
      /** The key that it was created with; null for a signed-in user, and for schedules of earlier programs. */
      key_id: string | null;
      workflow_id: string;
      workflow_name: string;
      deployment_name: string | null;
      definition: ColumnType<StoredDefinition, string, string>;
      /** A packed payload. */
      input: ColumnType<Json, string, string>;
      paused: boolean;
      note: string | null;
      /** Why the platform itself paused it. */
      paused_because: PauseCause | null;
      /** Remaining starts; null for no limit. */
      remaining: number | null;
      /** All times up to this one were started, skipped or buffered. */
      handled_ms: number;
      /** Starts that wait for the running execution, in order. */
      buffer: ColumnType<number[], string, string>;
      /** Grows with each change, for optimistic locking. */
      version: number;
      task_id: string | null;
      created_at: string;
      updated_at: string;
    };
  }
}

export type ScheduleRow = Selectable<Tables['workflow_schedules']>;
export type ScheduleHolder = Pick<ScheduleRow, 'workspace_id' | 'user_id' | 'key_id'>;
export type ScheduleChange = Partial<Omit<ScheduleRow, 'workspace_id' | 'id' | 'version'>>;

export async function insertSchedule(tx: Tx, { definition, input, buffer, ...row }: ScheduleRow): Promise<void> {
  await tx
    .insertInto('workflow_schedules')
    .values({
      ...row,
      definition: JSON.stringify(definition),
      input: JSON.stringify(input),
      buffer: JSON.stringify(buffer),
    })
    .execute();
}

export function findSchedule(db: Db, workspaceId: string, id: string): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom('workflow_schedules')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The same until the end of the transaction: on PostgreSQL others change it meanwhile, such as the task that starts it. */
export function lockSchedule(
  tx: Tx,
  kind: Database['kind'],
  workspaceId: string,
  id: string,
): Promise<ScheduleRow | undefined> {
  return tx
    .selectFrom('workflow_schedules')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
}

/** False when the schedule was changed after it was read. */
export async function updateSchedule(
  tx: Tx,
  read: Pick<ScheduleRow, 'workspace_id' | 'id' | 'version'>,
  { definition, input, buffer, ...change }: ScheduleChange,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('workflow_schedules')
    .set({
      ...change,
      ...(definition === undefined ? {} : { definition: JSON.stringify(definition) }),
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
      ...(buffer === undefined ? {} : { buffer: JSON.stringify(buffer) }),
      version: read.version + 1,
    })
    .where('workspace_id', '=', read.workspace_id)
    .where('id', '=', read.id)
    .where('version', '=', read.version)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Sets the next task; the version stays. */
export async function setScheduleTask(tx: Tx, workspaceId: string, id: string, taskId: string | null): Promise<void> {
  await tx
    .updateTable('workflow_schedules')
    .set({ task_id: taskId })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

export async function deleteSchedule(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom('workflow_schedules').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

export type ScheduleFilter = {
  workflowName?: string | undefined;
  userId?: string | undefined;
  paused?: boolean | undefined;
  prefix?: string | undefined;
  after?: { created_at: string; id: string } | undefined;
  limit?: number | undefined;
};

/** Sorted by creation; `bytes` is what `listSchedules` reads of each. */
export function findSchedules(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  workspaceId: string,
  filter: ScheduleFilter,
): Promise<(Pick<ScheduleRow, 'id' | 'created_at'> & Sized)[]> {
  const { after } = filter;
  let query = db
    .selectFrom('workflow_schedules')
    .select(['id', 'created_at', storedBytes(kind, 'definition', 'input').as('bytes')])
    .where('workspace_id', '=', workspaceId);
  if (filter.workflowName !== undefined) query = query.where('workflow_name', '=', filter.workflowName);
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.paused !== undefined) query = query.where('paused', '=', filter.paused);
  if (filter.prefix !== undefined) {
    const pattern = `${filter.prefix.replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where(sql<SqlBool>`lower(id) like lower(${pattern}) escape '\\'`);
  }
  if (after) query = query.where(isBeyond('asc', ['created_at', 'id'], [after.created_at, after.id]));
  if (filter.limit !== undefined) query = query.limit(filter.limit);
  return query.orderBy('created_at').orderBy('id').execute();
}

/** In the order of the ids. */
export async function listSchedules(db: Db, workspaceId: string, ids: readonly string[]): Promise<ScheduleRow[]> {
  const rows = await db
    .selectFrom('workflow_schedules')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', padValues(ids))
    .execute();
  return inOrder(ids, rows, ({ id }) => id);
}

type ScheduleKey = Pick<ScheduleRow, 'workspace_id' | 'id'>;

/** Active schedules without a task, by their keys alone: a definition that cannot be read must not stop a start. */
export function listUnarmedSchedules(db: Db, after: ScheduleKey | undefined, limit: number): Promise<ScheduleKey[]> {
  let query = db
    .selectFrom('workflow_schedules')
    .select(['workspace_id', 'id'])
    .where('paused', '=', false)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('tasks').select('tasks.id').whereRef('tasks.id', '=', 'workflow_schedules.task_id'))),
    );
  if (after) query = query.where(isBeyond('asc', ['workspace_id', 'id'], [after.workspace_id, after.id]));
  return query.orderBy('workspace_id').orderBy('id').limit(limit).execute();
}

/** What the platform paused by itself, newest first. */
export function listPausedByPlatform(db: Db, limit: number) {
  return db
    .selectFrom('workflow_schedules')
    .select(['workspace_id', 'id', 'note'])
    .where('paused', '=', true)
    .where('paused_because', 'is not', null)
    .orderBy('updated_at', 'desc')
    .limit(limit)
    .execute();
}

/** Who active schedules start executions for. */
export function listActiveHolders(db: Db): Promise<ScheduleHolder[]> {
  return db
    .selectFrom('workflow_schedules')
    .select(['workspace_id', 'user_id', 'key_id'])
    .distinct()
    .where('paused', '=', false)
    .execute();
}

export function listActiveSchedulesOf(db: Db, { workspace_id, user_id, key_id }: ScheduleHolder) {
  return db
    .selectFrom('workflow_schedules')
    .selectAll()
    .where('paused', '=', false)
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .where('key_id', key_id === null ? 'is' : '=', key_id)
    .execute();
}

const runsOf = (db: Db, { workspace_id, id, created_at }: ScheduleRow) =>
  db
    .selectFrom('workflow_runs')
    .where('workspace_id', '=', workspace_id)
    .where('schedule_id', '=', id)
    // Ignores executions of an earlier schedule with the same id.
    .where('started_at', '>=', created_at)
    .where(sql<SqlBool>`is_latest = true`);

export async function listOpenExecutions(db: Db, schedule: ScheduleRow): Promise<string[]> {
  const rows = await runsOf(db, schedule).select('execution_id').where('status', 'in', OPEN_STATUSES).execute();
  return rows.map(({ execution_id }) => execution_id);
}

export function listRecentExecutions(db: Db, schedule: ScheduleRow, limit: number) {
  return runsOf(db, schedule)
    .select(['execution_id', 'started_at', 'status', 'metadata'])
    .orderBy('started_at', 'desc')
    .limit(limit)
    .execute();
}

/** The inputs of all schedules, to find the blobs that they refer to. */
export async function listAllInputs(db: Db): Promise<Json[]> {
  const rows = await db.selectFrom('workflow_schedules').select('input').execute();
  return rows.map(({ input }) => input);
}

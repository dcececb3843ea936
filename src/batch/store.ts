import { type ColumnType, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import {
  countListed,
  type Database,
  type Db,
  findPlace,
  holdsJson,
  isBeyond,
  isFrom,
  type Listed,
  type Tables,
  type Tx,
} from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import type { BatchJobStatus, JobsQuery } from './schema.ts';

/** Who created the job. Its permissions are only for the previous version, which reads them; they are not used here. */
export type Caller = Omit<Scope, 'permissions'> & { permissions: string[] };

declare module '../kit/db/tables.ts' {
  interface Tables {
    batch_jobs: {
      id: string;
      workspace_id: string;
      user_id: string;
      caller: ColumnType<Caller, string, string>;
      endpoint: string;
      model: string | null;
      agent_id: string | null;
      metadata: ColumnType<Record<string, string> | null, string | null, string | null>;
      input_files: ColumnType<string[], string, string>;
      /** The content of inline requests. */
      input_blob: string | null;
      /** Of the requests that came with the job itself. */
      input_bytes: number;
      status: BatchJobStatus;
      total_requests: number;
      succeeded_requests: number;
      failed_requests: number;
      output_file: string | null;
      error_file: string | null;
      errors: ColumnType<JobError[], string, string>;
      created_at: string;
      started_at: string | null;
      completed_at: string | null;
      ends_at_ms: number;
      /** What it waits for, while it runs and has no new results. */
      waits_for: string | null;
    };
    batch_answers: { job_id: string; position: number; is_success: boolean; line: string };
  }
}

export type JobError = { message: string; count: number };
export type JobRow = Selectable<Tables['batch_jobs']>;
export type ResultRow = Selectable<Tables['batch_answers']>;

const TERMINAL: readonly BatchJobStatus[] = ['SUCCESS', 'FAILED', 'TIMEOUT_EXCEEDED', 'CANCELLED'];

export function hasEnded({ status }: Pick<JobRow, 'status'>): boolean {
  return TERMINAL.includes(status);
}

export async function insertJob(tx: Tx, job: JobRow): Promise<void> {
  const { caller, metadata, input_files, errors, ...row } = job;
  await tx
    .insertInto('batch_jobs')
    .values({
      ...row,
      caller: JSON.stringify(caller),
      metadata: metadata === null ? null : JSON.stringify(metadata),
      input_files: JSON.stringify(input_files),
      errors: JSON.stringify(errors),
    })
    .execute();
}

export function findJob(db: Db, workspaceId: string, id: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('batch_jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** For the runner: in any workspace. */
export function findJobById(db: Db, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('batch_jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function listJobs(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  scope: Scope,
  query: JobsQuery,
): Promise<{ jobs: JobRow[]; total: number }> {
  const order = query.order_by === 'created' ? 'asc' : 'desc';
  const of = countedJobs(scope, query);
  const place = await findPlace(db, of, query.page * query.page_size, order);
  const jobs = place
    ? await matching(db, kind, scope, query)
        .selectAll()
        .where(isFrom('created_at', place, order))
        .orderBy('created_at', order)
        .orderBy('id', order)
        .limit(query.page_size)
        .offset(place.offset)
        .execute()
    : [];
  if (of) return { jobs, total: (await countListed(db, of)).amount };
  const { total } = await matching(db, kind, scope, query)
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirstOrThrow();
  return { jobs, total: Number(total) };
}

export function listJobsAfter(
  db: Db,
  workspaceId: string,
  position: Pick<JobRow, 'created_at' | 'id'> | undefined,
  limit: number,
): Promise<JobRow[]> {
  let query = db.selectFrom('batch_jobs').selectAll().where('workspace_id', '=', workspaceId);
  if (position) query = query.where(isBeyond('desc', ['created_at', 'id'], [position.created_at, position.id]));
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Undefined for filters that only the rows themselves answer. */
function countedJobs({ workspace_id, user_id }: Scope, query: JobsQuery): Listed | undefined {
  const { status, model, agent_id, created_after, metadata, created_by_me } = query;
  if (model || agent_id || created_after || Object.keys(metadata ?? {}).length > 0) return undefined;
  const own = created_by_me ? { list: 'own_batch_jobs', owners: [user_id] } : { list: 'batch_jobs' };
  const whole = { ...own, scope: workspace_id };
  return status?.length ? { ...whole, accepts: ([its]) => status.some((one) => one === its) } : whole;
}

function matching(
  db: Db,
  kind: Database['kind'],
  scope: Scope,
  query: JobsQuery,
): SelectQueryBuilder<Tables, 'batch_jobs', object> {
  let rows = db.selectFrom('batch_jobs').where('workspace_id', '=', scope.workspace_id);
  if (query.model) rows = rows.where('model', '=', query.model);
  if (query.agent_id) rows = rows.where('agent_id', '=', query.agent_id);
  if (query.created_by_me) rows = rows.where('user_id', '=', scope.user_id);
  if (query.created_after) rows = rows.where('created_at', '>', new Date(query.created_after).toISOString());
  if (query.status?.length) rows = rows.where('status', 'in', query.status);
  for (const [key, value] of Object.entries(query.metadata ?? {})) {
    rows = rows.where(({ ref }) => holdsJson(kind, ref('metadata'), key, value));
  }
  return rows;
}

type Movable = 'status' | 'started_at' | 'completed_at' | 'total_requests' | 'errors' | 'output_file' | 'error_file';

/** Updates the job only if it has one of the given statuses; undefined when it has another one. */
export function moveJob(
  tx: Tx,
  id: string,
  from: readonly BatchJobStatus[],
  { errors, ...change }: Partial<Pick<JobRow, Movable>>,
): Promise<JobRow | undefined> {
  return tx
    .updateTable('batch_jobs')
    .set({ ...change, ...(errors === undefined ? {} : { errors: JSON.stringify(errors) }) })
    .where('id', '=', id)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst();
}

export function listQueued(db: Db, afterId: string, limit: number): Promise<Pick<JobRow, 'id' | 'caller'>[]> {
  return db
    .selectFrom('batch_jobs')
    .select(['id', 'caller'])
    .where('status', '=', 'QUEUED')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function noteWait(tx: Tx, id: string, waits_for: string | null): Promise<void> {
  await tx.updateTable('batch_jobs').set({ waits_for }).where('id', '=', id).execute();
}

/** Jobs of the workspace that were created earlier and have not ended. */
export async function countEarlier(db: Db, { workspace_id, created_at, id }: JobRow): Promise<number> {
  const { count } = await db
    .selectFrom('batch_jobs')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspace_id)
    .where('status', 'not in', TERMINAL)
    .where('created_at', '<=', created_at)
    .where('id', '<', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function deleteJob(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom('batch_jobs').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** Inserts and counts the results that are new, and returns the job. */
export async function insertResults(tx: Tx, jobId: string, results: ResultRow[]): Promise<JobRow | undefined> {
  const added =
    results.length === 0
      ? []
      : await tx
          .insertInto('batch_answers')
          .values(results)
          .onConflict((conflict) => conflict.columns(['job_id', 'position']).doNothing())
          .returning('is_success')
          .execute();
  const succeeded = added.filter(({ is_success }) => is_success).length;
  return tx
    .updateTable('batch_jobs')
    .set({
      succeeded_requests: sql<number>`succeeded_requests + ${succeeded}`,
      failed_requests: sql<number>`failed_requests + ${added.length - succeeded}`,
      waits_for: null,
    })
    .where('id', '=', jobId)
    .returningAll()
    .executeTakeFirst();
}

export function listResults(
  db: Db,
  jobId: string,
  page: { after: number; limit: number; isSuccess?: boolean },
): Promise<ResultRow[]> {
  let rows = db.selectFrom('batch_answers').selectAll().where('job_id', '=', jobId).where('position', '>', page.after);
  if (page.isSuccess !== undefined) rows = rows.where('is_success', '=', page.isSuccess);
  return rows.orderBy('position').limit(page.limit).execute();
}

export async function listPositions(db: Db, jobId: string, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('batch_answers')
    .select('position')
    .where('job_id', '=', jobId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(({ position }) => Number(position));
}

export async function deleteResults(tx: Tx, jobId: string, limit: number): Promise<number> {
  const rows = await tx
    .deleteFrom('batch_answers')
    .where('job_id', '=', jobId)
    .where('position', 'in', (query) =>
      query.selectFrom('batch_answers').select('position').where('job_id', '=', jobId).limit(limit),
    )
    .executeTakeFirst();
  return Number(rows.numDeletedRows);
}

export async function listEndedWithResults(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('batch_answers')
    .innerJoin('batch_jobs', 'batch_jobs.id', 'batch_answers.job_id')
    .select('batch_jobs.id')
    .distinct()
    .where('batch_jobs.status', 'in', TERMINAL)
    .execute();
  return rows.map(({ id }) => id);
}

/** The contents of inline requests that a job may still read. */
export async function findNeededBlobs(db: Db, sha256s: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('batch_jobs')
    .select('input_blob')
    .where('input_blob', 'in', sha256s)
    .where('status', 'not in', TERMINAL)
    .execute();
  return new Set(rows.flatMap(({ input_blob }) => input_blob ?? []));
}

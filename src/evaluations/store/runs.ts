import { sql } from 'kysely';
import { type Db, findPlace, isFrom, type Tx } from '../../kit/db/index.ts';
import type { RunFilter } from '../schema/filters.ts';
import type { GoalResults } from '../schema/results.ts';
import type { RunStatus } from '../schema/runs.ts';
import { toRunCondition } from './filters.ts';
import { countOf } from './projects.ts';
import type { RunRow } from './tables.ts';
import './tables.ts';

export async function insertRun(tx: Tx, run: RunRow): Promise<void> {
  const { holder, tags, metadata, evaluators, system, goal_results, ...row } = run;
  await tx
    .insertInto('evaluation_runs')
    .values({
      ...row,
      holder: JSON.stringify(holder),
      tags: JSON.stringify(tags),
      metadata: JSON.stringify(metadata),
      evaluators: JSON.stringify(evaluators),
      system: JSON.stringify(system),
      goal_results: goal_results && JSON.stringify(goal_results),
    })
    .execute();
}

export function findRun(db: Db, workspaceId: string, id: string): Promise<RunRow | undefined> {
  return db
    .selectFrom('evaluation_runs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** For the runner: in any workspace. */
export function findRunById(db: Db, id: string): Promise<RunRow | undefined> {
  return db.selectFrom('evaluation_runs').selectAll().where('id', '=', id).executeTakeFirst();
}

export type RunSearch = {
  workspaceId: string;
  evaluationId?: string | undefined;
  filter: RunFilter | null | undefined;
  limit: number;
  offset: number;
};

export async function searchRuns(
  db: Db,
  kind: 'sqlite' | 'postgres',
  { workspaceId, evaluationId, filter, limit, offset }: RunSearch,
): Promise<{ rows: RunRow[]; count: number }> {
  let found = db.selectFrom('evaluation_runs').where('evaluation_runs.workspace_id', '=', workspaceId);
  if (evaluationId !== undefined) found = found.where('evaluation_id', '=', evaluationId);
  const condition = toRunCondition(kind, filter);
  if (condition) found = found.where(condition);
  const whole = evaluationId
    ? { list: 'runs_of_evaluations', scope: evaluationId }
    : { list: 'evaluation_runs', scope: workspaceId };
  const of = condition ? undefined : whole;
  const place = await findPlace(db, of, offset, 'desc');
  const rows = place
    ? await found
        .selectAll()
        .where(isFrom('created_at', place, 'desc'))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(place.offset)
        .execute()
    : [];
  return { rows, count: await countOf(db, found, of) };
}

export async function listRunsOfTrials(db: Db, trialIds: readonly string[]): Promise<RunRow[]> {
  if (trialIds.length === 0) return [];
  return db.selectFrom('evaluation_runs').selectAll().where('trial_id', 'in', trialIds).orderBy('created_at').execute();
}

/** The names of the optimizations that runs belong to, by the id of the trial. */
export async function findOptimizationNames(
  db: Db,
  trialIds: readonly string[],
): Promise<Map<string, { optimization_id: string; name: string }>> {
  if (trialIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('evaluation_trials as t')
    .innerJoin('evaluation_optimizations as o', 'o.id', 't.optimization_id')
    .select(['t.id', 'o.id as optimization_id', 'o.name'])
    .where('t.id', 'in', trialIds)
    .execute();
  return new Map(rows.map(({ id, ...rest }) => [id, rest]));
}

export type RunChange = Partial<
  Pick<
    RunRow,
    'status' | 'error' | 'started_at' | 'completed_at' | 'passed' | 'total_records' | 'copied_after' | 'is_copied'
  >
> & { updated_at: string; goal_results?: GoalResults | null };

/** Only if it has one of these statuses; undefined when it has another one. */
export function moveRun(
  tx: Tx,
  id: string,
  from: readonly RunStatus[],
  { goal_results, ...change }: RunChange,
): Promise<RunRow | undefined> {
  const goals = goal_results === undefined ? {} : { goal_results: goal_results && JSON.stringify(goal_results) };
  return tx
    .updateTable('evaluation_runs')
    .set({ ...change, ...goals })
    .where('id', '=', id)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst();
}

export type Spent = {
  completed: number;
  failed: number;
  inputTokens: number;
  outputTokens: number;
  costMicros: number;
};

export async function addToRun(tx: Tx, id: string, spent: Spent, updated_at: string): Promise<void> {
  await tx
    .updateTable('evaluation_runs')
    .set({
      completed_records: sql`completed_records + ${spent.completed}`,
      failed_records: sql`failed_records + ${spent.failed}`,
      input_tokens: sql`input_tokens + ${spent.inputTokens}`,
      output_tokens: sql`output_tokens + ${spent.outputTokens}`,
      cost_micros: sql`cost_micros + ${spent.costMicros}`,
      updated_at,
    })
    .where('id', '=', id)
    .execute();
}

/** Stored runs that have not begun, for a look at their authority. */
export function listQueued(db: Db, after: string, limit: number): Promise<Pick<RunRow, 'id' | 'holder'>[]> {
  return db
    .selectFrom('evaluation_runs')
    .select(['id', 'holder'])
    .where('status', '=', 'queued')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteRun(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('evaluation_scores').where('run_id', '=', id).execute();
  await tx.deleteFrom('evaluation_generations').where('run_id', '=', id).execute();
  await tx.deleteFrom('evaluation_records').where('run_id', '=', id).execute();
  await tx.deleteFrom('evaluation_runs').where('id', '=', id).execute();
}

export async function hasRuns(tx: Tx, evaluationId: string): Promise<boolean> {
  const found = tx.selectFrom('evaluation_runs').select('id').where('evaluation_id', '=', evaluationId);
  return (await found.limit(1).executeTakeFirst()) !== undefined;
}

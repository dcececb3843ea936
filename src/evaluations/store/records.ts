import { sql } from 'kysely';
import type { Database, Db, Tx } from '../../kit/db/index.ts';
import type { Evaluator } from '../schema/evaluators.ts';
import type { RecordFilter } from '../schema/filters.ts';
import { metricOf, toRecordCondition } from './filters.ts';
import { countOf } from './projects.ts';
import type { GenerationRow, RecordRow, RecordStatus, ScoreRow } from './tables.ts';
import './tables.ts';

export async function insertRecords(tx: Tx, rows: readonly RecordRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('evaluation_records')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function listPending(db: Db, runId: string, after: number, limit: number): Promise<RecordRow[]> {
  return db
    .selectFrom('evaluation_records')
    .selectAll()
    .where('run_id', '=', runId)
    .where('status', '=', 'pending')
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute();
}

export type Result = { generation: GenerationRow; scores: ScoreRow[] };

/** False when another process stored a result of this record. */
export async function finishRecord(
  tx: Tx,
  id: string,
  status: Exclude<RecordStatus, 'pending'>,
  updated_at: string,
  results: readonly Result[],
): Promise<boolean> {
  const moved = await tx
    .updateTable('evaluation_records')
    .set({ status, updated_at })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  if (Number(moved.numUpdatedRows) === 0) return false;
  const generations = results.map(({ generation: { metadata, ...row } }) => ({
    ...row,
    metadata: JSON.stringify(metadata),
  }));
  await tx.insertInto('evaluation_generations').values(generations).execute();
  const scores = results.flatMap((result) => result.scores);
  if (scores.length > 0) await tx.insertInto('evaluation_scores').values(scores).execute();
  return true;
}

/** Failed records become pending again; their old results go. Returns how many there are. */
export async function resetFailed(tx: Tx, runId: string, updated_at: string): Promise<number> {
  const failed = sql<boolean>`record_id in (select id from evaluation_records where run_id = ${runId} and status = 'failed')`;
  await tx.deleteFrom('evaluation_scores').where('run_id', '=', runId).where(failed).execute();
  await tx.deleteFrom('evaluation_generations').where('run_id', '=', runId).where(failed).execute();
  const { numUpdatedRows } = await tx
    .updateTable('evaluation_records')
    .set({ status: 'pending', updated_at })
    .where('run_id', '=', runId)
    .where('status', '=', 'failed')
    .executeTakeFirst();
  await tx.updateTable('evaluation_runs').set({ failed_records: 0 }).where('id', '=', runId).execute();
  return Number(numUpdatedRows);
}

export function findRecord(db: Db, runId: string, id: string): Promise<RecordRow | undefined> {
  return db
    .selectFrom('evaluation_records')
    .selectAll()
    .where('run_id', '=', runId)
    .where('id', '=', id)
    .executeTakeFirst();
}

type Searched = Pick<Database, 'db' | 'kind'>;

function matching(
  { db, kind }: Searched,
  runId: string,
  filter: RecordFilter | null | undefined,
  evaluators: readonly Evaluator[],
) {
  const found = db.selectFrom('evaluation_records').where('evaluation_records.run_id', '=', runId);
  const condition = toRecordCondition(kind, filter, evaluators);
  return condition ? found.where(condition) : found;
}

export async function searchRecords(
  database: Searched,
  runId: string,
  filter: RecordFilter | null | undefined,
  evaluators: readonly Evaluator[],
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: RecordRow[]; count: number }> {
  const found = matching(database, runId, filter, evaluators);
  const sort = filter?.sort;
  let sorted = found.selectAll();
  if (sort?.kind === 'score') {
    const owner = sql<boolean>`s.run_id = evaluation_records.run_id and s.record_id = evaluation_records.id`;
    const value = metricOf(sort.metric, owner, sort.evaluator_name);
    // Records without a score come last on both databases.
    sorted = sorted.orderBy(sql`case when ${value} is null then 1 else 0 end`).orderBy(value, sort.direction);
  }
  const rows = await sorted
    .orderBy('position', sort?.kind === 'field' ? sort.direction : 'asc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, count: await countOf(database.db, found, undefined) };
}

/** The records of a run that match, as a query for others. */
export function matchingIds(
  database: Searched,
  runId: string,
  filter: RecordFilter | null | undefined,
  evaluators: readonly Evaluator[],
) {
  return matching(database, runId, filter, evaluators).select('evaluation_records.id');
}

export async function listGenerations(db: Db, recordIds: readonly string[]): Promise<GenerationRow[]> {
  if (recordIds.length === 0) return [];
  return db
    .selectFrom('evaluation_generations')
    .selectAll()
    .where('record_id', 'in', recordIds)
    .orderBy('position')
    .execute();
}

export async function listScores(db: Db, recordIds: readonly string[]): Promise<ScoreRow[]> {
  if (recordIds.length === 0) return [];
  return db.selectFrom('evaluation_scores').selectAll().where('record_id', 'in', recordIds).orderBy('id').execute();
}

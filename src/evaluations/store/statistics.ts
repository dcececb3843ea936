import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../kit/db/index.ts';
import type { Evaluator } from '../schema/evaluators.ts';
import type { RecordFilter } from '../schema/filters.ts';
import { matchingIds } from './records.ts';
import './tables.ts';

/** What the scores of one evaluator are together. */
export type Sums = {
  owner: string;
  evaluator: string;
  scores: number;
  numbers: number;
  sum: number | null;
  squares: number | null;
  min: number | null;
  max: number | null;
};
export type LabelCount = { owner: string; evaluator: string; label: string; count: number };
export type Tally = { sums: Sums[]; labels: LabelCount[] };

const number = <T>(value: T | null) => (value === null ? null : Number(value));

type Source = 'run_id' | 'record_id' | 'generation_id';

async function tally(db: Db, owner: Source, condition: RawBuilder<boolean>): Promise<Tally> {
  const scores = db.selectFrom('evaluation_scores').where(condition);
  const sums = await scores
    .select([
      `${owner} as owner`,
      'evaluator',
      sql<number>`count(*)`.as('scores'),
      sql<number>`count(value)`.as('numbers'),
      sql<number | null>`sum(value)`.as('sum'),
      sql<number | null>`sum(value * value)`.as('squares'),
      sql<number | null>`min(value)`.as('min'),
      sql<number | null>`max(value)`.as('max'),
    ])
    .groupBy([owner, 'evaluator'])
    .execute();
  const labels = await scores
    .where('label', 'is not', null)
    .select([`${owner} as owner`, 'evaluator', sql<string>`label`.as('label'), sql<number>`count(*)`.as('count')])
    .groupBy([owner, 'evaluator', 'label'])
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('label')
    .execute();
  return {
    sums: sums.map((row) => ({
      owner: row.owner,
      evaluator: row.evaluator,
      scores: Number(row.scores),
      numbers: Number(row.numbers),
      sum: number(row.sum),
      squares: number(row.squares),
      min: number(row.min),
      max: number(row.max),
    })),
    labels: labels.map((row) => ({ ...row, count: Number(row.count) })),
  };
}

export async function tallyRuns(db: Db, runIds: readonly string[]): Promise<Tally> {
  return runIds.length === 0 ? nothing : tally(db, 'run_id', sql`run_id in (${sql.join(runIds)})`);
}

export async function tallyRecords(
  db: Db,
  recordIds: readonly string[],
  owner: 'record_id' | 'generation_id',
): Promise<Tally> {
  return recordIds.length === 0 ? nothing : tally(db, owner, sql`record_id in (${sql.join(recordIds)})`);
}

export function tallyMatching(
  database: Pick<Database, 'db' | 'kind'>,
  runId: string,
  filter: RecordFilter | null | undefined,
  evaluators: readonly Evaluator[],
): Promise<Tally> {
  const ids = matchingIds(database, runId, filter, evaluators);
  return tally(database.db, 'run_id', sql`run_id = ${runId} and record_id in (${ids})`);
}

const nothing: Tally = { sums: [], labels: [] };

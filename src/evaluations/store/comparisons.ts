import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kit/db/index.ts';
import './tables.ts';

export type Pairing = { runId: string; baselineId: string; evaluator: string; label: string | null };
export type Compared = {
  records: number;
  better: number;
  worse: number;
  average: number;
  squares: number;
  baseline_average: number;
  baseline_squares: number;
  difference: number;
  difference_squares: number;
};
export type Changed = {
  dataset_record_id: string;
  record_id: string;
  baseline_record_id: string;
  value: number;
  baseline_value: number;
};

/** Each record of the dataset that both runs have a score for, with the mean of its scores in both. */
function pairs({ runId, baselineId, evaluator, label }: Pairing): RawBuilder<unknown> {
  const value =
    label === null
      ? sql`s.value`
      : sql`case when s.label = ${label} then 1.0 when s.label is null then null else 0.0 end`;
  const means = (run: string) => sql`(select r.dataset_record_id as origin, r.id as id, avg(${value}) as mean
    from evaluation_scores as s join evaluation_records as r on r.id = s.record_id
    where s.run_id = ${run} and s.evaluator = ${evaluator} group by r.dataset_record_id, r.id
    having avg(${value}) is not null)`;
  return sql`(select n.origin as dataset_record_id, n.id as record_id, o.id as baseline_record_id,
    n.mean as value, o.mean as baseline_value, n.mean - o.mean as difference
    from ${means(runId)} as n join ${means(baselineId)} as o on o.origin = n.origin) as pairs`;
}

/** `sign` is -1 where less is better. */
export async function comparePairs(db: Db, pairing: Pairing, sign: 1 | -1): Promise<Compared> {
  const better = sql.raw(sign === 1 ? 'difference > 0' : 'difference < 0');
  const worse = sql.raw(sign === 1 ? 'difference < 0' : 'difference > 0');
  const query = sql<Compared>`select count(*) as records,
    sum(case when ${better} then 1 else 0 end) as better, sum(case when ${worse} then 1 else 0 end) as worse,
    avg(value) as average, avg(value * value) as squares,
    avg(baseline_value) as baseline_average, avg(baseline_value * baseline_value) as baseline_squares,
    avg(difference) as difference, avg(difference * difference) as difference_squares from ${pairs(pairing)}`;
  const { rows } = await query.execute(db);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([key, value]) => [key, Number(value ?? 0)])) as Compared;
}

/** The records with the largest change in one direction. */
export async function listChanged(db: Db, pairing: Pairing, direction: 1 | -1, limit: number): Promise<Changed[]> {
  const condition = sql.raw(direction === 1 ? 'difference > 0' : 'difference < 0');
  const order = sql.raw(direction === 1 ? 'difference desc' : 'difference asc');
  const { rows } = await sql<Changed>`select dataset_record_id, record_id, baseline_record_id, value, baseline_value
    from ${pairs(pairing)} where ${condition} order by ${order}, dataset_record_id limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, value: Number(row.value), baseline_value: Number(row.baseline_value) }));
}

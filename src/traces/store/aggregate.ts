import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../kit/db/index.ts';
import type { Condition } from '../schema/condition.ts';
import type { Aggregation, Field } from '../schema/fields.ts';
import { toSql, toValue } from './conditions.ts';
import { firstOfTraces, inRange, type SpanRange } from './spans.ts';

type Kind = Database['kind'];

export type Bucket = { everyUs: number; offsetUs: number } | 'month';

export type AggregateQuery = SpanRange & {
  isTrace: boolean;
  measure: Field;
  aggregation: Aggregation;
  dimensions: readonly Field[];
  bucket: Bucket | undefined;
  condition: Condition | undefined;
  /** The position of a column among dimensions, then bucket, then value; descending or not. */
  order: readonly { column: number; isDescending: boolean }[];
  limit: number;
};

/** `d0`, `d1`, … are the dimensions, `bucket` is in microseconds. */
export type AggregateRow = { bucket: number | null; value: number | null } & Record<
  `d${number}`,
  string | number | null
>;

const FUNCTIONS = { sum: 'sum', avg: 'avg', min: 'min', max: 'max' } as const;

/** Groups, counts and orders in the database; percentiles are the value at that rank. */
export function aggregate(db: Db, kind: Kind, query: AggregateQuery): CompiledQuery<AggregateRow> {
  const { measure, aggregation, dimensions, bucket, condition, order, limit, isTrace } = query;
  let source = inRange(db, query);
  if (isTrace) source = firstOfTraces(source);
  if (condition) source = source.where(toSql(kind, condition));
  const groups = dimensions.map((field, i) => sql`${toValue(kind, field, null)}`.as(`d${i}`));
  if (bucket) groups.push(bucketOf(kind, bucket).as('bucket') as unknown as (typeof groups)[number]);
  const rows = source.select([...groups, sql`${toValue(kind, measure, null)}`.as('measured')]);
  const names = [...dimensions.map((_, i) => `d${i}`), ...(bucket ? ['bucket'] : [])];
  const grouped = names.length > 0 ? sql`group by ${sql.join(names.map((name) => sql.ref(name)))}` : sql``;
  const percentile = /^p(\d+)$/.exec(aggregation)?.[1];
  const ordered =
    order.length > 0
      ? sql`order by ${sql.join(order.map(({ column, isDescending }) => sql.raw(`${column + 1} ${isDescending ? 'desc' : 'asc'}`)))}`
      : sql``;
  const columns = names.map((name) => sql.ref(name));
  if (percentile && kind === 'sqlite') {
    const partition = names.length > 0 ? sql`partition by ${sql.join(columns)}` : sql``;
    return sql<AggregateRow>`select ${sql.join([...columns, sql`measured as value`])} from (
      select *, row_number() over (${partition} order by measured) as place, count(*) over (${partition}) as places
      from (${rows}) where measured is not null)
      where place = max(1, cast(places * ${sql.lit(Number(percentile))} + 99 as integer) / 100) ${ordered} limit ${limit}`.compile(
      db,
    );
  }
  const value = percentile
    ? sql`percentile_disc(${sql.lit(Number(percentile) / 100)}) within group (order by measured)`
    : valueText(aggregation);
  return sql<AggregateRow>`select ${sql.join([...columns, sql`cast(${value} as ${sql.raw(kind === 'postgres' ? 'double precision' : 'real')}) as value`])}
    from (${rows}) as rows_found ${grouped} ${ordered} limit ${limit}`.compile(db);
}

function valueText(aggregation: Aggregation): RawBuilder<unknown> {
  if (aggregation === 'count') return sql`count(measured)`;
  if (aggregation === 'count_distinct') return sql`count(distinct measured)`;
  return sql`${sql.raw(FUNCTIONS[aggregation as keyof typeof FUNCTIONS])}(measured)`;
}

function bucketOf(kind: Kind, bucket: Bucket): RawBuilder<number> {
  if (bucket !== 'month') {
    const [every, offset] = [sql.lit(bucket.everyUs), sql.lit(bucket.offsetUs)];
    return sql`((start_us - ${offset}) / ${every} * ${every} + ${offset})`;
  }
  return kind === 'postgres'
    ? sql`(cast(extract(epoch from date_trunc('month', to_timestamp(start_us / 1000000) at time zone 'UTC')) as bigint) * 1000000)`
    : sql`(unixepoch(start_us / 1000000, 'unixepoch', 'start of month') * 1000000)`;
}

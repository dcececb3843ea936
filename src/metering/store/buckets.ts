import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../kit/db/index.ts';

/** Sums of fractions are a hair off; a request must not wait another second for that hair. */
export const EPSILON = 1e-6;

export type BucketAsk = {
  id: string;
  capacity: number;
  perMs: number;
  nowMs: number;
  /** Leased, and not used. */
  unused: number;
  /** A refund, or a debt when it is negative, and when it came up: the bucket has refilled since. */
  owed: number;
  owedAtMs: number;
  /** Less than this is of no use: then nothing is granted. */
  need: number;
  /** As much of this as there is. */
  want: number;
  /** The part of the bucket that may be granted beyond that, for requests to come. */
  share: number;
};

/** `tokens` is what the bucket holds after the grant. */
export type BucketAnswer = { granted: number; tokens: number };

/**
 * Refill, return and grant in one atomic statement: whatever the number of processes, a token is granted once.
 * Time never runs backwards in a bucket, so processes whose clocks differ do not refill it twice.
 */
export async function updateBucket(db: Db, kind: Database['kind'], ask: BucketAsk): Promise<BucketAnswer> {
  const least = sql.raw(kind === 'postgres' ? 'least' : 'min');
  const greatest = sql.raw(kind === 'postgres' ? 'greatest' : 'max');
  const capacity = real(ask.capacity);
  const perMs = real(ask.perMs);
  const owedAtMs = sql`${greatest}(rate_buckets.updated_ms, ${real(Math.min(ask.owedAtMs, ask.nowMs))})`;
  const before = sql`${least}(${capacity}, rate_buckets.tokens + (${owedAtMs} - rate_buckets.updated_ms) * ${perMs})`;
  const owed = sql`${least}(${capacity}, ${before} + ${real(ask.owed)})`;
  const since = sql`${greatest}(${real(ask.nowMs)} - ${owedAtMs}, 0) * ${perMs}`;
  const level = sql`${least}(${capacity}, ${owed} + ${since} + ${real(ask.unused)})`;
  const grantFrom = (level: RawBuilder<unknown>) => sql`
    case when ${level} < ${real(ask.need - EPSILON)} then 0
    else ${greatest}(${least}(${real(ask.want)}, floor(${level} + ${real(EPSILON)})), floor(${level} * ${real(ask.share)}))
    end`;
  const fresh = real(ask.capacity + Math.min(0, ask.owed));
  const nowMs = sql`cast(${ask.nowMs} as bigint)`;
  const { rows } = await sql<BucketAnswer>`
    insert into rate_buckets (id, tokens, granted, updated_ms)
    values (${ask.id}, ${fresh} - ${grantFrom(fresh)}, ${grantFrom(fresh)}, ${nowMs})
    on conflict (id) do update set
      tokens = ${level} - ${grantFrom(level)},
      granted = ${grantFrom(level)},
      updated_ms = ${greatest}(rate_buckets.updated_ms, ${nowMs})
    returning granted, tokens`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`The bucket ${ask.id} was neither found nor made.`);
  return row;
}

/** A bucket that nobody touched for long is full, and a full one is the same as none. */
export async function deleteIdleBuckets(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom('rate_buckets').where('updated_ms', '<', beforeMs).execute();
}

function real(value: number): RawBuilder<number> {
  return sql<number>`cast(${value} as double precision)`;
}

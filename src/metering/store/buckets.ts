import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../kit/db/index.ts';

/** Tolerance for rounding errors. */
export const EPSILON = 1e-6;

export type BucketRequest = {
  id: string;
  capacity: number;
  perMs: number;
  nowMs: number;
  /** Leased but not used. */
  unused: number;
  /** A refund, or a negative debt, and its time: the bucket has refilled since. */
  owed: number;
  owedAtMs: number;
  /** If the bucket holds less than this, nothing is granted. */
  need: number;
  /** Granted as far as the bucket holds it. */
  want: number;
  /** The share of the bucket that may be granted beyond `want`, as a lease for later requests. */
  share: number;
};

/** `tokens` is the level after the grant. */
export type BucketGrant = { granted: number; tokens: number };

/**
 * Refills, returns and grants in one atomic statement, so that no token is granted twice. The time of a bucket never goes
 * back, so processes with different clocks do not refill it twice.
 */
export async function updateBucket(db: Db, kind: Database['kind'], request: BucketRequest): Promise<BucketGrant> {
  const least = sql.raw(kind === 'postgres' ? 'least' : 'min');
  const greatest = sql.raw(kind === 'postgres' ? 'greatest' : 'max');
  const capacity = real(request.capacity);
  const perMs = real(request.perMs);
  const owedAtMs = sql`${greatest}(rate_buckets.updated_ms, ${real(Math.min(request.owedAtMs, request.nowMs))})`;
  const before = sql`${least}(${capacity}, rate_buckets.tokens + (${owedAtMs} - rate_buckets.updated_ms) * ${perMs})`;
  const owed = sql`${least}(${capacity}, ${before} + ${real(request.owed)})`;
  const since = sql`${greatest}(${real(request.nowMs)} - ${owedAtMs}, 0) * ${perMs}`;
  const level = sql`${least}(${capacity}, ${owed} + ${since} + ${real(request.unused)})`;
  const grantFrom = (level: RawBuilder<unknown>) => sql`
    case when ${level} < ${real(request.need - EPSILON)} then 0
    else ${greatest}(${least}(${real(request.want)}, floor(${level} + ${real(EPSILON)})), floor(${level} * ${real(request.share)}))
    end`;
  const fresh = real(request.capacity + Math.min(0, request.owed));
  const nowMs = sql`cast(${request.nowMs} as bigint)`;
  const { rows } = await sql<BucketGrant>`
    insert into rate_buckets (id, tokens, granted, updated_ms)
    values (${request.id}, ${fresh} - ${grantFrom(fresh)}, ${grantFrom(fresh)}, ${nowMs})
    on conflict (id) do update set
      tokens = ${level} - ${grantFrom(level)},
      granted = ${grantFrom(level)},
      updated_ms = ${greatest}(rate_buckets.updated_ms, ${nowMs})
    returning granted, tokens`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`The bucket ${request.id} could not be updated.`);
  return row;
}

/** An idle bucket is full, which is the same as having none. */
export async function deleteIdleBuckets(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom('rate_buckets').where('updated_ms', '<', beforeMs).execute();
}

function real(value: number): RawBuilder<number> {
  return sql<number>`cast(${value} as double precision)`;
}

import { type Db, isUniqueViolation, type Tx } from '../db/index.ts';

declare module '../db/tables.ts' {
  interface Tables {
    idempotency_keys: {
      principal: string;
      key: string;
      request_hash: string;
      status: number | null;
      response: string | null;
      created_ms: number;
    };
  }
}

export type Claim = { principal: string; key: string; hash: string };

class AlreadyClaimed extends Error {}

export function findClaim(db: Db, principal: string, key: string) {
  return db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('principal', '=', principal)
    .where('key', '=', key)
    .executeTakeFirst();
}

export async function insertClaim(
  tx: Tx,
  { principal, key, hash }: Claim,
  nowMs: number,
  keptMs: number,
): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('principal', '=', principal)
    .where('key', '=', key)
    .where('created_ms', '<', nowMs - keptMs)
    .execute();
  try {
    await tx
      .insertInto('idempotency_keys')
      .values({ principal, key, request_hash: hash, status: null, response: null, created_ms: nowMs })
      .execute();
  } catch (error) {
    if (isUniqueViolation(error)) throw new AlreadyClaimed();
    throw error;
  }
}

const BEATS_PER_STATEMENT = 100;

/** Their requests still run. */
export async function beatClaims(db: Db, claims: readonly Claim[], nowMs: number): Promise<void> {
  for (let from = 0; from < claims.length; from += BEATS_PER_STATEMENT) {
    const some = claims.slice(from, from + BEATS_PER_STATEMENT);
    await db
      .updateTable('idempotency_keys')
      .set({ created_ms: nowMs })
      .where('status', 'is', null)
      .where(({ eb, or, and }) =>
        or(some.map(({ principal, key }) => and([eb('principal', '=', principal), eb('key', '=', key)]))),
      )
      .execute();
  }
}

export async function updateClaim(
  db: Db,
  { principal, key }: Claim,
  status: number,
  response: string | null,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ status, response })
    .where('principal', '=', principal)
    .where('key', '=', key)
    .execute();
}

/** Returns how many were deleted. */
export async function deleteClaims(db: Db, beforeMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where('created_ms', '<', beforeMs)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

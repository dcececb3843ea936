import type { Db, Tx } from '../../kit/db/index.ts';

export type SessionRow = {
  id: string;
  token_hash: string;
  user_id: string;
  address: string;
  user_agent: string;
  created_at: string;
  last_seen_at: string;
  /** The latest end, whatever its use. */
  expires_at: string;
  /** The provider that signed in, and its subject and session there; absent for a password or a link. */
  provider?: string | null | undefined;
  provider_subject?: string | null | undefined;
  provider_sid?: string | null | undefined;
  /** Encrypted: with them the provider is asked again. */
  provider_tokens?: string | null | undefined;
  checked_at_ms?: number | null | undefined;
  check_due_ms?: number | null | undefined;
  /** Until then one process asks the provider. */
  checking_until_ms?: number | null | undefined;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    sessions: SessionRow;
  }
}

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insertInto('sessions').values(row).execute();
}

export function findSessionWithUser(db: Db, tokenHash: string) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.user_id', 'sessions.last_seen_at', 'sessions.expires_at'])
    .leftJoin('second_factors', 'second_factors.user_id', 'sessions.user_id')
    .select(['users.email', 'users.first_name', 'users.last_name'])
    .select(['sessions.provider', 'second_factors.confirmed_at as second_factor_at'])
    .where('sessions.token_hash', '=', tokenHash)
    .executeTakeFirst();
}

/** Those that have not ended, newest use first. */
export function listSessionsOfUser(db: Db, userId: string, now: string, idleSince: string, limit: number) {
  return db
    .selectFrom('sessions')
    .select(['id', 'address', 'user_agent', 'created_at', 'last_seen_at', 'expires_at', 'provider'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', idleSince)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteSessionOfUser(tx: Tx, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteOtherSessions(tx: Tx, userId: string, keptId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '<>', keptId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export function findSessionEnd(db: Db, id: string) {
  return db.selectFrom('sessions').select(['expires_at', 'user_id']).where('id', '=', id).executeTakeFirst();
}

export async function updateProvider(
  tx: Tx,
  id: string,
  set: Partial<
    Pick<
      SessionRow,
      | 'provider'
      | 'provider_subject'
      | 'provider_sid'
      | 'provider_tokens'
      | 'checked_at_ms'
      | 'check_due_ms'
      | 'checking_until_ms'
    >
  >,
): Promise<void> {
  await tx.updateTable('sessions').set(set).where('id', '=', id).execute();
}

export async function updateLastSeenAt(tx: Tx, id: string, seenAt: string): Promise<void> {
  await tx.updateTable('sessions').set({ last_seen_at: seenAt }).where('id', '=', id).execute();
}

export async function deleteSession(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteSessionByHash(tx: Tx, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('sessions').where('token_hash', '=', tokenHash).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteSessionsOfUser(tx: Tx, userId: string): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('sessions').where('user_id', '=', userId).executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deleteEndedSessions(tx: Tx, now: string, idleSince: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('expires_at', '<=', now), eb('last_seen_at', '<=', idleSince)]))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

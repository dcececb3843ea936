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
    .select(['users.email', 'users.first_name', 'users.last_name'])
    .where('sessions.token_hash', '=', tokenHash)
    .executeTakeFirst();
}

export function findSessionEnd(db: Db, id: string) {
  return db.selectFrom('sessions').select('expires_at').where('id', '=', id).executeTakeFirst();
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

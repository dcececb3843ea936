import type { Db, Tx } from '../../kit/db/index.ts';

/** Sessions of a provider whose word is due to be asked for again. */
export function listDueSessions(db: Db, provider: string, nowMs: number, limit: number) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.user_id', 'users.email', 'sessions.provider_subject'])
    .select(['sessions.provider_tokens', 'sessions.check_due_ms', 'sessions.checked_at_ms'])
    .where('sessions.provider', '=', provider)
    .where('sessions.check_due_ms', '<=', nowMs)
    .orderBy('sessions.check_due_ms')
    .limit(limit)
    .execute();
}

/** False where another process was first. */
export async function claimCheck(db: Db, id: string, dueMs: number, nextMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ check_due_ms: nextMs })
    .where('id', '=', id)
    .where('check_due_ms', '=', dueMs)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function findProviderSession(db: Db, id: string) {
  return db.selectFrom('sessions').select(['provider', 'provider_tokens']).where('id', '=', id).executeTakeFirst();
}

/** Ends the sessions of a subject, or one of them, and returns whose they were. */
export function deleteSessionsOfSubject(
  tx: Tx,
  provider: string,
  { subject, sid }: { subject: string | undefined; sid: string | undefined },
) {
  return tx
    .deleteFrom('sessions')
    .where('provider', '=', provider)
    .$if(subject !== undefined, (query) => query.where('provider_subject', '=', subject ?? ''))
    .$if(sid !== undefined, (query) => query.where('provider_sid', '=', sid ?? ''))
    .returning(['id', 'user_id'])
    .execute();
}

export async function deleteSessionsOfOthers(tx: Tx, providers: readonly string[]): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('provider', 'is not', null)
    .$if(providers.length > 0, (query) => query.where('provider', 'not in', providers))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export function listSealedSessions(db: Db) {
  return db.selectFrom('sessions').select(['id', 'provider_tokens']).where('provider_tokens', 'is not', null).execute();
}

/** Only where it has not changed meanwhile. */
export async function resealSession(tx: Tx, id: string, before: string, provider_tokens: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ provider_tokens })
    .where('id', '=', id)
    .where('provider_tokens', '=', before)
    .execute();
}

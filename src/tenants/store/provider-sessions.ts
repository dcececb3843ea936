import type { Db, Tx } from '../../kit/db/index.ts';

function selectChecked(db: Db) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.user_id', 'users.email', 'sessions.provider', 'sessions.provider_subject'])
    .select(['sessions.provider_tokens', 'sessions.checked_at_ms']);
}

/** Sessions of a provider whose word is due to be asked for again, and about which nobody asks. */
export function listDueSessions(db: Db, provider: string, nowMs: number, limit: number) {
  return selectChecked(db)
    .where('sessions.provider', '=', provider)
    .where('sessions.check_due_ms', '<=', nowMs)
    .where((eb) => eb.or([eb('checking_until_ms', 'is', null), eb('checking_until_ms', '<=', nowMs)]))
    .orderBy('sessions.check_due_ms')
    .limit(limit)
    .execute();
}

export function findCheckedSession(db: Db, id: string) {
  return selectChecked(db).where('sessions.id', '=', id).executeTakeFirst();
}

/** False where another process was first. */
export async function claimCheck(db: Db, id: string, nowMs: number, untilMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ checking_until_ms: untilMs })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('checking_until_ms', 'is', null), eb('checking_until_ms', '<=', nowMs)]))
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

/** Ends the sessions of all other providers and returns whose they were. */
export function deleteSessionsOfOthers(tx: Tx, providers: readonly string[]) {
  return tx
    .deleteFrom('sessions')
    .where('provider', 'is not', null)
    .$if(providers.length > 0, (query) => query.where('provider', 'not in', providers))
    .returning(['user_id', 'provider'])
    .execute();
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

import type { Db, Tx } from '../../kit/db/index.ts';

export type IdentityRow = { provider: string; subject: string; user_id: string; created_at: string };

declare module '../../kit/db/tables.ts' {
  interface Tables {
    user_identities: IdentityRow;
  }
}

export function findIdentity(db: Db, provider: string, subject: string): Promise<IdentityRow | undefined> {
  return db
    .selectFrom('user_identities')
    .selectAll()
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

export function listIdentities(db: Db, userId: string): Promise<IdentityRow[]> {
  return db.selectFrom('user_identities').selectAll().where('user_id', '=', userId).orderBy('created_at').execute();
}

/** False when the subject belongs to an account already. */
export async function insertIdentity(tx: Tx, row: IdentityRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('user_identities')
    .values(row)
    .onConflict((conflict) => conflict.columns(['provider', 'subject']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function deleteIdentities(tx: Tx, userId: string, provider: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_identities')
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

import type { Db, Tx } from '../../kit/db/index.ts';
import type { SignInRow } from './tables.ts';

export async function insertSignIn(tx: Tx, row: SignInRow, now: number): Promise<void> {
  await tx.deleteFrom('connector_sign_ins').where('expires_ms', '<', now).execute();
  await tx.insertInto('connector_sign_ins').values(row).execute();
}

/** A state is good for one callback: whoever takes it removes it. */
export async function takeSignIn(tx: Tx, stateHash: string): Promise<SignInRow | undefined> {
  return tx.deleteFrom('connector_sign_ins').where('state_hash', '=', stateHash).returningAll().executeTakeFirst();
}

type ClientKey = { connector_id: string; organization_id: string; issuer: string; redirect_url: string };

export async function findClient(db: Db, key: ClientKey): Promise<string | undefined> {
  const row = await db
    .selectFrom('connector_clients')
    .select('sealed')
    .where('connector_id', '=', key.connector_id)
    .where('organization_id', '=', key.organization_id)
    .where('issuer', '=', key.issuer)
    .where('redirect_url', '=', key.redirect_url)
    .executeTakeFirst();
  return row?.sealed;
}

export async function saveClient(db: Db, key: ClientKey, sealed: string, created_at: string): Promise<void> {
  await db
    .insertInto('connector_clients')
    .values({ ...key, sealed, created_at })
    .onConflict((conflict) =>
      conflict
        .columns(['connector_id', 'organization_id', 'issuer', 'redirect_url'])
        .doUpdateSet({ sealed, created_at }),
    )
    .execute();
}

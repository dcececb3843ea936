import type { Db, Tx } from '../../kit/db/index.ts';

export type SecondFactorRow = {
  user_id: string;
  /** The secret of the authenticator app, encrypted. */
  sealed: string;
  /** The step of the last code that was used. */
  last_step: number;
  created_at: string;
  /** Null until the first code was typed: until then nothing asks for it. */
  confirmed_at: string | null;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    second_factors: SecondFactorRow;
    recovery_codes: { user_id: string; code_hash: string };
  }
}

export function findSecondFactor(db: Db, userId: string): Promise<SecondFactorRow | undefined> {
  return db.selectFrom('second_factors').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** Replaces one that was never confirmed. False where there is a confirmed one. */
export async function insertSecondFactor(tx: Tx, row: SecondFactorRow): Promise<boolean> {
  await tx.deleteFrom('second_factors').where('user_id', '=', row.user_id).where('confirmed_at', 'is', null).execute();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('second_factors')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** False when a code of this step or a later one was used meanwhile. */
export async function updateLastStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function updateConfirmedAt(tx: Tx, userId: string, now: string): Promise<void> {
  await tx.updateTable('second_factors').set({ confirmed_at: now }).where('user_id', '=', userId).execute();
}

export async function deleteSecondFactor(tx: Tx, userId: string): Promise<boolean> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const { numDeletedRows } = await tx.deleteFrom('second_factors').where('user_id', '=', userId).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function replaceRecoveryCodes(tx: Tx, user_id: string, hashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute();
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id, code_hash })))
    .execute();
}

/** False when there is no such code, or no longer. */
export async function deleteRecoveryCode(tx: Tx, userId: string, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', codeHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function listSealedFactors(db: Db) {
  return db.selectFrom('second_factors').select(['user_id', 'sealed']).execute();
}

/** Only where it has not changed meanwhile. */
export async function resealFactor(tx: Tx, userId: string, before: string, sealed: string): Promise<void> {
  await tx
    .updateTable('second_factors')
    .set({ sealed })
    .where('user_id', '=', userId)
    .where('sealed', '=', before)
    .execute();
}

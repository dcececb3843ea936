import { sql } from 'kysely';
import type { Db, Tx } from '../../kit/db/index.ts';

export type AttemptsRow = { bucket: string; attempts: number; ends_at_ms: number };

declare module '../../kit/db/tables.ts' {
  interface Tables {
    sign_in_attempts: AttemptsRow;
  }
}

/** Counts one attempt, in a new window if the last one has ended; one statement, so that none is lost. */
export function raiseAttempts(tx: Tx, bucket: string, nowMs: number, endsAtMs: number): Promise<AttemptsRow> {
  const isOver = sql<boolean>`sign_in_attempts.ends_at_ms <= ${nowMs}`;
  return tx
    .insertInto('sign_in_attempts')
    .values({ bucket, attempts: 1, ends_at_ms: endsAtMs })
    .onConflict((conflict) =>
      conflict.column('bucket').doUpdateSet({
        attempts: sql<number>`case when ${isOver} then 1 else sign_in_attempts.attempts + 1 end`,
        ends_at_ms: sql<number>`case when ${isOver} then ${endsAtMs} else sign_in_attempts.ends_at_ms end`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A row that only says that something happened, until it ends. */
export async function insertMark(tx: Tx, bucket: string, endsAtMs: number): Promise<void> {
  await tx
    .insertInto('sign_in_attempts')
    .values({ bucket, attempts: 0, ends_at_ms: endsAtMs })
    .onConflict((conflict) => conflict.column('bucket').doUpdateSet({ ends_at_ms: endsAtMs }))
    .execute();
}

/** The same for something that may happen once until it ends: false where it happened before. */
export async function takeMark(tx: Tx, bucket: string, nowMs: number, endsAtMs: number): Promise<boolean> {
  const taken = await tx
    .insertInto('sign_in_attempts')
    .values({ bucket, attempts: 0, ends_at_ms: endsAtMs })
    .onConflict((conflict) =>
      conflict.column('bucket').doUpdateSet({ ends_at_ms: endsAtMs }).where('sign_in_attempts.ends_at_ms', '<=', nowMs),
    )
    .returning('bucket')
    .executeTakeFirst();
  return taken !== undefined;
}

export async function hasMark(tx: Tx, bucket: string, nowMs: number): Promise<boolean> {
  const row = await tx
    .selectFrom('sign_in_attempts')
    .select('bucket')
    .where('bucket', '=', bucket)
    .where('ends_at_ms', '>', nowMs)
    .executeTakeFirst();
  return row !== undefined;
}

export async function lowerAttempts(tx: Tx, bucket: string): Promise<void> {
  await tx
    .updateTable('sign_in_attempts')
    .set({ attempts: sql<number>`attempts - 1` })
    .where('bucket', '=', bucket)
    .where('attempts', '>', 0)
    .execute();
}

export async function deleteAttempts(tx: Tx, bucket: string): Promise<void> {
  await tx.deleteFrom('sign_in_attempts').where('bucket', '=', bucket).execute();
}

export async function deleteEndedAttempts(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom('sign_in_attempts').where('ends_at_ms', '<=', nowMs).execute();
}

import { sql } from 'kysely';
import type { Db } from './tables.ts';

declare module './tables.ts' {
  interface Tables {
    /** The version each process has read of each signal, by the name of its listening connection. */
    signal_readers: { reader: string; name: string; version: number };
  }
}

export async function noteReader(db: Db, reader: string, name: string, version: number): Promise<void> {
  await db
    .insertInto('signal_readers')
    .values({ reader, name, version })
    .onConflict((conflict) => conflict.columns(['reader', 'name']).doUpdateSet({ version }))
    .execute();
}

/**
 * Whether a connected process has not read this version yet. PostgreSQL knows which are connected, so a dead process
 * holds up no change.
 */
export async function isAnyReaderBehind(db: Db, name: string, version: number, self: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from signal_readers join pg_stat_activity on application_name = reader
    where name = ${name} and version < ${version} and reader <> ${self} limit 1`.execute(db);
  return rows.length > 0;
}

/** Deletes the rows of processes that are no longer connected. */
export async function forgetReaders(db: Db): Promise<void> {
  await sql`delete from signal_readers where not exists (
    select 1 from pg_stat_activity where application_name = reader)`.execute(db);
}

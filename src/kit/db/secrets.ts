import { randomBytes } from 'node:crypto';
import { type Clock, isoMicros } from '../base/clock.ts';
import type { Database } from './database.ts';

declare module './tables.ts' {
  interface Tables {
    secrets: { name: string; value: string; created_at: string };
  }
}

/** A random value shared by all processes on this database, created on first use. */
export async function loadSecret({ db }: Database, name: string, now: Clock): Promise<string> {
  const read = () => db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  const known = await read();
  if (known) return known.value;
  const value = randomBytes(32).toString('base64url');
  await db
    .insertInto('secrets')
    .values({ name, value, created_at: isoMicros(now) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  // Another process may have been first.
  return (await read())?.value ?? value;
}

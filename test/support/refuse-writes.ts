import { CompiledQuery } from 'kysely';
import type { Database } from '../../src/kit/db/index.ts';

/** SQLite refuses every write of this handle from now on, as on a disk that became read-only; or takes them again. */
export async function refuseWrites({ db }: Database, isRefused: boolean): Promise<void> {
  const pragma = CompiledQuery.raw(`pragma query_only = ${isRefused ? 1 : 0}`);
  // Said to be an insert, so that it goes to the connection that writes.
  await db.executeQuery({ ...pragma, query: { kind: 'InsertQueryNode' } as never });
}

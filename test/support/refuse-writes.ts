import { CompiledQuery } from 'kysely';
import type { Database } from '../../src/kit/db/index.ts';

/** Makes SQLite refuse every write of this handle, as on a read-only disk, or accept them again. */
export async function refuseWrites({ db }: Database, isRefused: boolean): Promise<void> {
  const pragma = CompiledQuery.raw(`pragma query_only = ${isRefused ? 1 : 0}`);
  // Marked as an insert, so that it runs on the write connection.
  await db.executeQuery({ ...pragma, query: { kind: 'InsertQueryNode' } as never });
}

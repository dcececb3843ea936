import { CompiledQuery } from 'kysely';
import { runQuery } from './run-query.ts';
import type { Db } from './tables.ts';

/** One text with many lists of values. */
export type RepeatedQuery = CompiledQuery & { readonly each?: readonly (readonly unknown[])[] };

/**
 * For transactions on SQLite: runs one prepared statement for each list of values, in one call, and returns how many rows
 * changed in all. The way to the driver costs more than such a statement.
 */
export async function executeEach(db: Db, text: string, each: readonly (readonly unknown[])[]): Promise<number> {
  if (each.length === 0) return 0;
  const query: RepeatedQuery = { ...CompiledQuery.raw(text), each };
  const { numAffectedRows = 0n } = await runQuery(db, query);
  return Number(numAffectedRows);
}

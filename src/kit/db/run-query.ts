import type { CompiledQuery, QueryResult } from 'kysely';
import type { Db } from './tables.ts';

type Run = <R>(query: CompiledQuery<R>) => Promise<QueryResult<R>>;

/** A property of the handle: a WeakMap would keep those of ended transactions until a full collection. */
const RUN = Symbol('run');
type Carrier = { [RUN]?: Run };

/** For a driver that needs nothing of what Kysely does around a compiled query. */
export function runDirectly(db: Db, run: Run): void {
  (db as Carrier)[RUN] = run;
}

/** Runs a compiled query. Kysely's way to the driver is a dozen promises, which cost more than a short statement of SQLite. */
export function runQuery<R>(db: Db, query: CompiledQuery<R>): Promise<QueryResult<R>> {
  const run = (db as Carrier)[RUN];
  return run ? run(query) : db.executeQuery<R>(query);
}

import type { Compilable, CompiledQuery } from 'kysely';
import { runQuery } from './run-query.ts';
import type { Db } from './tables.ts';

/**
 * A query that is built once and run with new values each time: building it costs several times what SQLite needs to
 * run it. `build` gets a placeholder for each value.
 */
export function prepare<P extends readonly unknown[], R>(
  build: (...values: P) => Compilable<R>,
): (db: Db, ...values: P) => Promise<R[]> {
  let compiled: CompiledQuery<R> | undefined;
  let order: number[] = [];
  return async (db, ...values) => {
    if (!compiled) {
      const standIns = values.map((_, index) => ({ index }));
      compiled = build(...(standIns as unknown as P)).compile();
      order = compiled.parameters.map((parameter) => standIns.indexOf(parameter as { index: number }));
    }
    const { parameters } = compiled;
    const { rows } = await runQuery<R>(db, {
      ...compiled,
      parameters: order.map((index, at) => (index === -1 ? parameters[at] : values[index])),
    });
    return rows;
  };
}

/** The same for a function of a store, which gets its handle with each call: a text for each kind of database. */
export function prepareFor<P extends readonly unknown[], R>(
  build: (db: Db, ...values: P) => Compilable<R>,
): (db: Db, ...values: P) => Promise<R[]> {
  const byKind = new Map<unknown, (db: Db, ...values: P) => Promise<R[]>>();
  return (db, ...values) => {
    const kind = db.getExecutor().adapter.constructor;
    const known = byKind.get(kind);
    if (known) return known(db, ...values);
    const made = prepare((...standIns: P) => build(db, ...standIns));
    byKind.set(kind, made);
    return made(db, ...values);
  };
}

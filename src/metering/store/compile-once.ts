import { CompiledQuery } from 'kysely';

const STATEMENT_ROWS = 50;

const statements = new Map<string, CompiledQuery>();

/** Caches a statement by name: building one with hundreds of values costs more than running it. */
export function compileOnce(name: string, build: () => string): CompiledQuery {
  let query = statements.get(name);
  if (!query) {
    query = CompiledQuery.raw(build());
    statements.set(name, query);
  }
  return query;
}

/** Chunks of one size, so that few statements serve lists of any length. */
export function chunksOf<R>(rows: readonly R[]): R[][] {
  const chunks: R[][] = [];
  for (let i = 0; i < rows.length; i += STATEMENT_ROWS) chunks.push(rows.slice(i, i + STATEMENT_ROWS));
  return chunks;
}

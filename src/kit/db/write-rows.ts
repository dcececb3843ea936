import { CompiledQuery } from 'kysely';
import type { Database } from './database.ts';
import { runQuery } from './run-query.ts';
import type { Db } from './tables.ts';

const ROWS_PER_STATEMENT_MAX = 128;
/** Texts of more rows are rare and long. */
const KEPT_ROWS_MAX = 32;

type Write<R> = (db: Db, rows: readonly (readonly unknown[])[]) => Promise<R[]>;

/**
 * Inserts any number of rows with few statements, whose texts are built once. A row is its values in the order of the
 * columns, JSON as text. `ending` follows the rows, such as `returning …`.
 */
export function rowWriter<R = never>(
  kind: Database['kind'],
  table: string,
  columns: readonly string[],
  ending = '',
): Write<R> {
  const texts = new Map<number, string>();
  // PostgreSQL parses each text anew, so there every number of rows may have its own.
  const textFor = (rows: number): string => {
    const known = texts.get(rows) ?? insertText(kind, table, columns, rows, ending);
    if (kind === 'sqlite' || rows <= KEPT_ROWS_MAX) texts.set(rows, known);
    return known;
  };
  return async (db, rows) => {
    const written: R[] = [];
    for (const chunk of kind === 'sqlite' ? inPowersOfTwo(rows) : inChunks(rows)) {
      const result = await runQuery<R>(db, CompiledQuery.raw(textFor(chunk.length), chunk.flat()) as CompiledQuery<R>);
      written.push(...result.rows);
    }
    return written;
  };
}

function insertText(
  kind: Database['kind'],
  table: string,
  columns: readonly string[],
  rows: number,
  ending: string,
): string {
  const rowTexts = Array.from({ length: rows }, (_, row) => {
    const marks = columns.map((_, i) => (kind === 'postgres' ? `$${row * columns.length + i + 1}` : '?'));
    return `(${marks.join(', ')})`;
  });
  return `insert into ${table} (${columns.join(', ')}) values ${rowTexts.join(', ')} ${ending}`;
}

function* inChunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT_MAX)
    yield rows.slice(start, start + ROWS_PER_STATEMENT_MAX);
}

// Only powers of two, so that few different statements fill the cache of prepared ones.
export function* inPowersOfTwo<T>(rows: readonly T[]): Generator<readonly T[]> {
  let start = 0;
  for (let size = ROWS_PER_STATEMENT_MAX; size >= 1; size /= 2) {
    for (; rows.length - start >= size; start += size) yield rows.slice(start, start + size);
  }
}

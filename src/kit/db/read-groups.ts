import { type RawBuilder, sql } from 'kysely';
import { ownTurn } from '../base/own-turn.ts';
import type { Database } from './database.ts';

/** What is read, decoded and written at once: short enough to block nobody. */
const GROUP_BYTES_MAX = 256 * 1024;
/** Also few enough to be values of one statement. */
const GROUP_ROWS_MAX = 256;
/** A page that has a next one ends here, whatever its number of rows. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** A row that is found but not read yet: what finds it again, and how large it is. */
export type Sized = { bytes: number };

/** The stored size of these columns. SQLite knows it without reading them. */
export function storedBytes(kind: Database['kind'], ...columns: string[]): RawBuilder<number> {
  const sizes = columns.map((column) => {
    const ref = sql.ref(column);
    return kind === 'sqlite' ? sql`coalesce(octet_length(${ref}), 0)` : sql`coalesce(octet_length(${ref}::text), 0)`;
  });
  return sql<number>`${sql.join(sizes, sql` + `)}`;
}

/** The rows of one page: at least one, and no more than about 8 MiB. */
export function takePage<S extends Sized>(found: readonly S[], bytesMax = PAGE_BYTES_MAX): S[] {
  return found.slice(0, endOfGroup(found, 0, bytesMax, found.length));
}

/** Reads rows in groups, so that a long list of large rows needs little memory. `read` keeps the order it is given. */
export async function* readGroups<S extends Sized, R>(
  found: readonly S[],
  read: (group: S[]) => Promise<R[]>,
): AsyncGenerator<R[]> {
  for (let start = 0; start < found.length; ) {
    // SQLite answers at once: without this nobody else would be served in between.
    if (start > 0) await ownTurn();
    const end = endOfGroup(found, start, GROUP_BYTES_MAX, GROUP_ROWS_MAX);
    yield await read(found.slice(start, end));
    start = end;
  }
}

/** Rows in the order of their keys; one that was deleted in between is left out. */
export function inOrder<R, K>(keys: readonly K[], rows: readonly R[], keyOf: (row: R) => K): R[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return keys.flatMap((key) => {
    const row = byKey.get(key);
    return row === undefined ? [] : [row];
  });
}

/** Rounds a list of values up to a power of two: every length would be another entry of the statement cache. */
export function padValues<T>(values: readonly T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return values.concat(Array<T>(length - values.length).fill(values.at(-1) as T));
}

function endOfGroup(found: readonly Sized[], start: number, bytesMax: number, rowsMax: number): number {
  let end = start;
  for (let bytes = 0; end < found.length && end - start < rowsMax; end++) {
    bytes += found[end]?.bytes ?? 0;
    if (bytes > bytesMax && end > start) break;
  }
  return end;
}

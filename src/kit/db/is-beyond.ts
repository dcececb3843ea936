import { type Expression, type RawBuilder, sql } from 'kysely';

type Column = string | Expression<string>;

/**
 * Whether a row comes after a position in the order of its columns. They are compared as one, which both databases find in
 * an index; with "or" they would read all rows before the position.
 */
export function isBeyond(
  order: 'asc' | 'desc',
  columns: readonly Column[],
  position: readonly (string | number)[],
): RawBuilder<boolean> {
  const names = columns.map((column) => (typeof column === 'string' ? sql.ref(column) : sql`${column}`));
  const values = position.map((value) => sql`${value}`);
  return sql<boolean>`(${sql.join(names)}) ${sql.raw(order === 'asc' ? '>' : '<')} (${sql.join(values)})`;
}

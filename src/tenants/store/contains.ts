import { type RawBuilder, sql } from 'kysely';

/** Whether the column contains the text, ignoring case. */
export function contains(column: string | RawBuilder<string>, text: string): RawBuilder<boolean> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(${typeof column === 'string' ? sql.ref(column) : column}) like ${pattern} escape '\\'`;
}

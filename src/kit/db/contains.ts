import { type RawBuilder, sql } from 'kysely';

const patternOf = (text: string) => `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Whether the column contains the text, ignoring case. */
export function contains(column: string | RawBuilder<string>, text: string): RawBuilder<boolean> {
  const searched = typeof column === 'string' ? sql.ref(column) : column;
  return sql<boolean>`lower(${searched}) like ${patternOf(text)} escape '\\'`;
}

/** Whether the text of a JSON column contains it; names of its members count too, so the caller looks at what it finds. */
export function containsInJson(column: string, text: string): RawBuilder<boolean> {
  const written = JSON.stringify(text).slice(1, -1);
  return sql<boolean>`lower(cast(${sql.ref(column)} as text)) like ${patternOf(written)} escape '\\'`;
}

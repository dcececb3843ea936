import { type Expression, type SqlBool, sql } from 'kysely';
import type { Database } from './database.ts';

/** Whether the object in a JSON column has this key with exactly this value. */
export function holdsJson(kind: Database['kind'], column: Expression<unknown>, key: string, value: unknown) {
  const text = JSON.stringify(value);
  if (kind === 'postgres') return sql<SqlBool>`${column}::jsonb -> ${key}::text = ${text}::jsonb`;
  // Compared as JSON, because SQLite returns true as 1 and a list as text.
  return sql<SqlBool>`exists (select 1 from json_each(${column}) as held
    where held.key = ${key} and json_array(held.type, held.value) = (
      select json_array(asked.type, asked.value) from json_each(json_array(json(${text}))) as asked))`;
}

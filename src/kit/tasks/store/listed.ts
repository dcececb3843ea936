import { sql } from 'kysely';
import type { Database } from '../../db/index.ts';

/** One parameter for any number of ids, so that there is one statement to prepare. */
export function listed(kind: Database['kind'], ids: readonly string[]) {
  const list = JSON.stringify(ids);
  return kind === 'postgres'
    ? sql<string>`(select json_array_elements_text(${list}::json))`
    : sql<string>`(select value from json_each(${list}))`;
}

import { type SelectQueryBuilder, sql } from 'kysely';
import { isFrom, type Place, type Tables } from '../../kit/db/index.ts';

/** A page of what was found, newest first; empty where the list ends before it. */
export async function readPage<Table extends keyof Tables, Row>(
  found: SelectQueryBuilder<Tables, Table, Row>,
  place: Place | undefined,
  limit: number,
): Promise<Row[]> {
  if (!place) return [];
  return found
    .where(isFrom('created_at', place, 'desc'))
    .orderBy(sql.ref('created_at'), 'desc')
    .limit(limit)
    .offset(place.offset)
    .execute();
}

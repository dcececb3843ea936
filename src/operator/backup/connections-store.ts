import { sql } from 'kysely';
import type { Db } from '../../kit/db/index.ts';

/** Connections of clients with another application name than this one's. */
export async function countOtherConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and application_name is distinct from current_setting('application_name')
  `.execute(db);
  return rows[0]?.count ?? 0;
}

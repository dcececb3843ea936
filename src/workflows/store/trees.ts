import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../kit/db/index.ts';
import type { ExecutionStatus } from '../schema/statuses.ts';

/** An execution and its descendants. */
export type Tree = { workspace_id: string; root_execution_id: string };

type Columns = { workspace_id: unknown; root_execution_id: unknown };

/**
 * The runs `o` of a tree, in three parts: most trees are one run, so the index of trees has descendants only, and runs of the root are
 * found by its own id. Each part names the condition of its index; with "or" between them, the databases would read all runs.
 */
export function partsOfTree({ workspace_id, root_execution_id }: Columns): RawBuilder<SqlBool>[] {
  const within = sql`o.workspace_id = ${workspace_id} and o.root_execution_id = ${root_execution_id}`;
  return [
    sql`${within} and o.root_execution_id <> o.execution_id`,
    sql`${within} and o.execution_id = ${root_execution_id} and not o.is_latest`,
    sql`${within} and o.execution_id = ${root_execution_id} and o.is_latest`,
  ];
}

/** An open run of a tree if it has one: the order is that of the index, without which PostgreSQL may read all of its runs. */
export async function findFirstOfTree(db: Db, tree: Tree): Promise<{ status: ExecutionStatus } | undefined> {
  const firsts = partsOfTree(tree).map(
    (part) => sql`select * from (
      select status, ended_at from workflow_runs as o where ${part} order by ended_at asc nulls first limit 1) as found`,
  );
  const { rows } = await sql<{
    status: ExecutionStatus;
  }>`select status from (${sql.join(firsts, sql` union all `)}) as first
    order by ended_at asc nulls first limit 1`.execute(db);
  return rows[0];
}

/** A query for the ids of its runs. */
export function runIdsOfTree(tree: Tree): RawBuilder<{ run_id: string }> {
  const parts = partsOfTree(tree).map((part) => sql`select run_id from workflow_runs as o where ${part}`);
  return sql.join(parts, sql` union all `);
}

/** Some of its runs, those of the root last. */
export async function listRunsOfTree(
  db: Db,
  tree: Tree,
  limit: number,
): Promise<{ run_id: string; execution_id: string }[]> {
  for (const part of partsOfTree(tree)) {
    const query = sql<{ run_id: string; execution_id: string }>`
      select run_id, execution_id from workflow_runs as o where ${part} limit ${limit}`;
    const { rows } = await query.execute(db);
    if (rows.length > 0) return rows;
  }
  return [];
}

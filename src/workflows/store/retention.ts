import { sql } from 'kysely';
import type { Db, Tx } from '../../kit/db/index.ts';
import { partsOfTree, type Tree } from './trees.ts';

/** Trees of executions whose runs all ended before a time. */
export async function listEndedTrees(db: Db, endedBefore: string, limit: number): Promise<Tree[]> {
  const others = partsOfTree({
    workspace_id: sql.ref('r.workspace_id'),
    root_execution_id: sql.ref('r.root_execution_id'),
  });
  // Asked once for a tree, which may have a million runs; each is the beginning or the end of an index.
  const goesOn = others.flatMap((part) => [
    sql`exists (select 1 from workflow_runs as o where ${part} and o.ended_at is null)`,
    sql`exists (select 1 from workflow_runs as o where ${part} and o.ended_at >= ${endedBefore})`,
  ]);
  const { rows } = await sql<Tree>`select distinct r.workspace_id, r.root_execution_id from workflow_runs as r
    where r.ended_at < ${endedBefore} and r.execution_id = r.root_execution_id and not (${sql.join(goesOn, sql` or `)}) limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Deletes runs and everything that belongs to them. */
export async function deleteRuns(tx: Tx, runIds: string[]): Promise<void> {
  const tables = [
    'workflow_history',
    'workflow_steps',
    'workflow_timers',
    'workflow_updates',
    'workflow_emitted',
    'workflow_search_keys',
    'workflow_temporal_runs',
    'workflow_run_tokens',
    'workflow_runs',
  ] as const;
  for (const table of tables) await tx.deleteFrom(table).where('run_id', 'in', runIds).execute();
}

/** The start of each workspace's oldest run. */
export async function listOldestStarts(db: Db, workspaceIds: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('workflow_runs')
    .select(['workspace_id', (eb) => eb.fn.min('started_at').as('first')])
    .where('workspace_id', 'in', workspaceIds)
    .groupBy('workspace_id')
    .execute();
  return new Map(rows.map(({ workspace_id, first }) => [workspace_id, first]));
}

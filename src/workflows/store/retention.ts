import type { Db, Tx } from '../../kit/db/index.ts';
import { OPEN_STATUSES } from '../schema/statuses.ts';

export type EndedTree = { workspace_id: string; root_execution_id: string };

/** Trees of executions whose runs all ended before a time. */
export function listEndedTrees(db: Db, endedBefore: string, limit: number): Promise<EndedTree[]> {
  return db
    .selectFrom('workflow_runs as r')
    .select(['r.workspace_id', 'r.root_execution_id'])
    .distinct()
    .where('r.ended_at', '<', endedBefore)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('workflow_runs as o')
            .select('o.run_id')
            .whereRef('o.workspace_id', '=', 'r.workspace_id')
            .whereRef('o.root_execution_id', '=', 'r.root_execution_id')
            .where((other) =>
              other.or([other('o.status', 'in', OPEN_STATUSES), other('o.ended_at', '>=', endedBefore)]),
            ),
        ),
      ),
    )
    .limit(limit)
    .execute();
}

export function listRunsOfTree(db: Db, tree: EndedTree): Promise<{ run_id: string; execution_id: string }[]> {
  return db
    .selectFrom('workflow_runs')
    .select(['run_id', 'execution_id'])
    .where('workspace_id', '=', tree.workspace_id)
    .where('root_execution_id', '=', tree.root_execution_id)
    .execute();
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

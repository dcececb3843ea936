import type { Db } from '../../../../kit/db/index.ts';
import '../tables.ts';

/** What a worker can take: work of its deployment under the names that it serves. */
type Served = { workspaceId: string; deploymentName: string; names: string[]; nowMs: number; limit: number };

export function listReadyRuns(db: Db, { workspaceId, deploymentName, names, nowMs, limit }: Served) {
  return db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('workspace_id', '=', workspaceId)
    .where('deployment_name', '=', deploymentName)
    .where('ready_ms', '<=', nowMs)
    .where('workflow_name', 'in', names)
    .orderBy('ready_ms')
    .limit(limit)
    .execute();
}

export function listReadySteps(db: Db, { workspaceId, deploymentName, names, nowMs, limit }: Served) {
  return db
    .selectFrom('workflow_steps')
    .select(['run_id', 'scheduled_event_id'])
    .where('workspace_id', '=', workspaceId)
    .where('deployment_name', '=', deploymentName)
    .where('ready_ms', '<=', nowMs)
    .where('name', 'in', names)
    .orderBy('ready_ms')
    .limit(limit)
    .execute();
}

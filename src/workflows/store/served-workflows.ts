import { type Db, prepare } from '../../kit/db/index.ts';
import type { ActiveRegistration } from './registrations.ts';
import type { WorkflowRow } from './workflows.ts';

export type ServedWorkflow = { workflow: WorkflowRow; active: ActiveRegistration[] };

/**
 * A workflow by its name or id, and its active registrations, newest first. One statement, because every start needs it:
 * on PostgreSQL each is a round trip and a transaction.
 */
export function prepareFindServed(db: Db) {
  const list = prepare((workspaceId: string, name: string, id: string, aliveSinceMs: number) =>
    db
      .selectFrom('workflows as f')
      .leftJoin('workflow_registrations as r', (join) =>
        join
          .onRef('r.workspace_id', '=', 'f.workspace_id')
          .onRef('r.workflow_id', '=', 'f.id')
          .on((eb) =>
            eb.exists(
              eb
                .selectFrom('workflow_worker_registrations as s')
                .innerJoin('workflow_workers as w', (worker) =>
                  worker.onRef('w.deployment_id', '=', 's.deployment_id').onRef('w.name', '=', 's.worker_name'),
                )
                .select('s.registration_id')
                .whereRef('s.registration_id', '=', 'r.id')
                .where('w.seen_ms', '>', aliveSinceMs),
            ),
          ),
      )
      .leftJoin('workflow_deployments as d', 'd.id', 'r.deployment_id')
      .selectAll('f')
      .select(['r.id as active_id', 'd.name as active_deployment', 'r.created_at as active_since'])
      .where('f.workspace_id', '=', workspaceId)
      .where((eb) => eb.or([eb('f.name', '=', name), eb('f.id', '=', id)]))
      .orderBy('r.created_at', 'desc')
      .orderBy('r.id', 'desc'),
  );
  return async (workspaceId: string, identifier: string, aliveSinceMs: number): Promise<ServedWorkflow | undefined> => {
    const rows = await list(db, workspaceId, identifier, identifier, aliveSinceMs);
    const found = rows.find(({ name }) => name === identifier) ?? rows[0];
    if (!found) return undefined;
    const { active_id: _id, active_deployment: _deployment, active_since: _since, ...workflow } = found;
    return {
      workflow,
      active: rows.flatMap(({ id, active_id, active_deployment, active_since }) =>
        id === workflow.id && active_id !== null && active_deployment !== null && active_since !== null
          ? [{ id: active_id, deployment_name: active_deployment, created_at: active_since }]
          : [],
      ),
    };
  };
}

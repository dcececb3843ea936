import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { Authority } from '../../tenants/index.ts';
import type { ClusterRuns } from '../engines/temporal/cluster-runs.ts';
import { workflowErrors } from '../errors.ts';
import type {
  ExecutorIdentityResponse,
  RegisterExecutionRequest,
  RegisterExecutionResponse,
} from '../schema/worker-executions.ts';
import { findRunRow } from '../store/runs.ts';
import type { ExecutionTokens } from './execution-tokens.ts';
import { keepSearchKeys } from './worker-search-keys.ts';

/** Registration of runs by official workers, and the identity for which a run executes. */
export function createWorkerExecutions(deps: {
  database: Database;
  cluster: ClusterRuns | undefined;
  tokens: ExecutionTokens;
  authority: Pick<Authority, 'refusalOf'>;
}) {
  const { database, cluster, tokens, authority } = deps;

  return {
    /** Called at the start of each run, and again when its first task is retried; idempotent. */
    async register(scope: Scope, request: RegisterExecutionRequest): Promise<RegisterExecutionResponse> {
      if (!cluster) throw workflowErrors.temporal_required();
      const { temporal_workflow_id: executionId, temporal_run_id: runId } = request;
      const run = { workspaceId: scope.workspace_id, executionId, runId };
      const created = await cluster.began(run);
      return database.transaction(async (tx) => {
        const row = await cluster.find(tx, scope.workspace_id, runId);
        if (row?.execution_id !== executionId || row.workflow_name !== request.workflow_name)
          throw workflowErrors.execution_not_found(executionId);
        // Runs that we started have an id of our own beside Temporal's; others have only Temporal's.
        await tokens.claim(tx, row, request.execution_token_hash, row.run_id !== runId);
        const { metadata_status } = await keepSearchKeys(tx, row, request.search_key_metadata ?? {});
        return { execution_id: executionId, created, metadata_status };
      });
    },

    async identify(scope: Scope, executionToken: string): Promise<ExecutorIdentityResponse> {
      const runId = await tokens.findRun(database.db, scope.workspace_id, executionToken);
      const run = runId && (await findRunRow(database.db, scope.workspace_id, runId));
      if (!run) throw workflowErrors.execution_token_unknown();
      const { user_id, workspace_id } = run;
      const holder = user_id === null ? undefined : { user_id, workspace_id, key_id: null };
      if (holder && (await authority.refusalOf(holder, 'workflows:execute')))
        throw workflowErrors.executor_refused(run.execution_id);
      return {
        customer_id: run.organization_id,
        organization_id: run.organization_id,
        workspace_id: run.workspace_id,
        user_id: run.user_id,
      };
    },
  };
}

export type WorkerExecutions = ReturnType<typeof createWorkerExecutions>;

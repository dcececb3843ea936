import type { Json } from '../../../packages/workflows/src/protocol.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { RegistrationChooser } from '../choose-registration.ts';
import type { Execution, Target, WorkflowEngine } from '../engines/port/engine.ts';
import { executionNotRunning, workflowErrors } from '../errors.ts';
import { type HandlerKind, parseInvocation } from '../parse-invocation.ts';
import type { RecordChange } from '../record-change.ts';
import type {
  BatchExecutionResponse,
  Invocation,
  QueryWorkflowResponse,
  ResetInvocationBody,
  UpdateWorkflowResponse,
} from '../schema/control.ts';
import type { WorkflowExecutionResponse } from '../schema/executions.ts';
import { hasEnded } from '../schema/statuses.ts';
import { showExecution } from '../show-execution.ts';
import { findSearchKeys } from '../store/runs.ts';

export type ExecutionService = {
  get(scope: Scope, executionId: string, withSearchKeys: boolean): Promise<WorkflowExecutionResponse>;
  signal(scope: Scope, executionId: string, call: Invocation): Promise<{ message: string }>;
  query(scope: Scope, executionId: string, call: Invocation, signal: AbortSignal): Promise<QueryWorkflowResponse>;
  update(scope: Scope, executionId: string, call: Invocation, signal: AbortSignal): Promise<UpdateWorkflowResponse>;
  end(scope: Scope, executionId: string, how: Ending): Promise<undefined>;
  endMany(scope: Scope, executionIds: string[], how: Ending): Promise<BatchExecutionResponse>;
  reset(scope: Scope, executionId: string, request: ResetInvocationBody): Promise<undefined>;
};

export type Ending = 'cancel' | 'terminate';

export function createExecutions(deps: {
  database: Database;
  engine: WorkflowEngine;
  chooser: RegistrationChooser;
  record: RecordChange;
}): ExecutionService {
  const { database, engine, chooser, record } = deps;

  async function mustFind(scope: Scope, executionId: string): Promise<Execution> {
    const execution = await engine.get(scope.workspace_id, executionId);
    if (!execution) throw workflowErrors.execution_not_found(executionId);
    return execution;
  }

  async function mustRun(scope: Scope, executionId: string): Promise<Execution> {
    const execution = await mustFind(scope, executionId);
    if (hasEnded(execution.status)) throw executionNotRunning(executionId, execution.status);
    return execution;
  }

  /** Tries the definition that the run was started with, then the newest one, which may have more handlers. */
  async function readInput(scope: Scope, execution: Execution, kind: HandlerKind, call: Invocation): Promise<Json> {
    const { registrationId, workflowId, deploymentName } = execution;
    const started = await chooser.readRegistration(scope.workspace_id, registrationId);
    const newest = await chooser.newestActive(scope.workspace_id, workflowId, deploymentName);
    const definitions = [started, newest].flatMap((registration) => registration?.definition ?? []);
    return parseInvocation(kind, call, definitions);
  }

  const targetOf = (scope: Scope, executionId: string): Target => ({ workspaceId: scope.workspace_id, executionId });

  async function end(scope: Scope, executionId: string, how: Ending): Promise<undefined> {
    await mustRun(scope, executionId);
    // Logged first, because the action commits on its own: the audit log may have failed attempts, but misses none.
    await database.transaction((tx) => record(tx, scope, `workflow.execution.${how}`, executionId));
    await engine[how](targetOf(scope, executionId));
  }

  return {
    async get(scope, executionId, withSearchKeys) {
      const shown = showExecution(await mustFind(scope, executionId));
      if (!withSearchKeys) return shown;
      return { ...shown, search_keys: await findSearchKeys(database.db, scope.workspace_id, shown.run_id ?? '') };
    },

    async signal(scope, executionId, call) {
      const execution = await mustRun(scope, executionId);
      const input = await readInput(scope, execution, 'signal', call);
      await engine.signal(targetOf(scope, executionId), call.name, input);
      return { message: 'Signal accepted' };
    },

    async query(scope, executionId, call, signal) {
      const execution = await mustFind(scope, executionId);
      const input = await readInput(scope, execution, 'query', call);
      const result = await engine.query(targetOf(scope, executionId), call.name, input, signal);
      return { query_name: call.name, result };
    },

    async update(scope, executionId, call, signal) {
      const execution = await mustRun(scope, executionId);
      const input = await readInput(scope, execution, 'update', call);
      const result = await engine.update(targetOf(scope, executionId), call.name, input, signal);
      return { update_name: call.name, result };
    },

    end,

    async endMany(scope, executionIds, how) {
      const results = new Map<string, { status: string; error: string | null }>();
      for (const executionId of new Set(executionIds)) {
        const result = await end(scope, executionId, how).then(
          () => ({ status: 'success', error: null }),
          (error: unknown) => {
            if (!(error instanceof ApiError)) throw error;
            return { status: 'failure', error: error.message };
          },
        );
        results.set(executionId, result);
      }
      return { results: Object.fromEntries(results) };
    },

    async reset(scope, executionId, { event_id, reason, exclude_signals, exclude_updates }) {
      await mustFind(scope, executionId);
      await database.transaction((tx) =>
        record(tx, scope, 'workflow.execution.reset', executionId, { event_id: String(event_id) }),
      );
      await engine.reset(targetOf(scope, executionId), {
        eventId: event_id,
        ...(reason == null ? {} : { reason }),
        excludeSignals: exclude_signals,
        excludeUpdates: exclude_updates,
      });
    },
  };
}

import { createHash } from 'node:crypto';
import type { Json } from '../../../packages/workflows/src/protocol.ts';
import type { Clock } from '../../kit/base/clock.ts';
import { limitSignal } from '../../kit/base/limit-signal.ts';
import type { Database } from '../../kit/db/index.ts';
import { type RequestContext, reusedForAnotherRequest } from '../../kit/http/index.ts';
import { checkInput } from '../check-input.ts';
import type { ChosenWorkflow, RegistrationChooser, StartTarget } from '../choose-registration.ts';
import type { Execution, WorkflowEngine } from '../engines/port/engine.ts';
import { executionWaitTimeout, executionWithoutResult, workflowErrors } from '../errors.ts';
import { checkPayload } from '../payloads/limits.ts';
import type { ExecuteResponse, WorkflowExecutionRequest } from '../schema/executions.ts';
import { asStarted, showExecution } from '../show-execution.ts';
import { findExecuteKey, insertExecuteKey, KeyTaken } from '../store/execute-keys.ts';

/** The same as for the keys of every other endpoint. */
export const EXECUTE_KEY_KEPT_MS = 24 * 60 * 60 * 1000;

export type ExecuteCall = Pick<RequestContext, 'scope' | 'signal' | 'idempotencyKey' | 'setHeader' | 'headers'>;

type Claim = { principal: string; key: string; request_hash: string };

/**
 * Starts executions. This room stores the Idempotency-Key itself, with the run that it started: a repeated request
 * finds that run even if the first response was lost, and can continue to wait for the result.
 */
export function createExecute(deps: {
  database: Database;
  engine: WorkflowEngine;
  chooser: RegistrationChooser;
  now: Clock;
}) {
  const { database, engine, chooser, now } = deps;
  const keptSince = () => now() - EXECUTE_KEY_KEPT_MS;

  async function findStarted({ scope }: ExecuteCall, claim: Claim): Promise<Execution | undefined> {
    const row = await findExecuteKey(database.db, claim.principal, claim.key, keptSince());
    if (!row) return undefined;
    if (row.request_hash !== claim.request_hash) throw reusedForAnotherRequest(claim.key);
    const execution = await engine.get(scope.workspace_id, row.execution_id, row.run_id);
    if (!execution) throw workflowErrors.run_not_found(row.run_id);
    return asStarted(execution);
  }

  async function start(call: ExecuteCall, chosen: ChosenWorkflow, request: WorkflowExecutionRequest, claim?: Claim) {
    const { workflow, registration } = chosen;
    const { scope } = call;
    const input = request.input ?? {};
    checkInput(registration.definition.input_schema, input, ['body', 'input']);
    checkPayload(input, ['body', 'input']);
    const metadata = metadataOf(request);
    return engine.start({
      organizationId: scope.organization_id,
      workspaceId: scope.workspace_id,
      userId: scope.user_id,
      executionId: request.execution_id ?? undefined,
      workflowId: workflow.id,
      workflowName: workflow.name,
      displayName: workflow.display_name,
      registrationId: registration.id,
      deploymentName: registration.deployment_name,
      input: input as Json,
      executionTimeoutMs: registration.definition.execution_timeout * 1000,
      searchKeyPaths: registration.search_keys,
      ...(metadata ? { metadata } : {}),
      within:
        claim &&
        ((tx, { executionId, runId }) =>
          insertExecuteKey(tx, { ...claim, execution_id: executionId, run_id: runId, created_ms: now() }, keptSince())),
    });
  }

  /** Starts an execution, or finds the one that the key started. */
  async function startOnce(call: ExecuteCall, target: StartTarget, request: WorkflowExecutionRequest) {
    const claim = claimOf(call, target, request);
    const earlier = claim && (await findStarted(call, claim));
    if (earlier) return { execution: replayed(call, earlier), isNew: false };
    const deployment = request.deployment_name ?? request.task_queue;
    const chosen = await chooser.find(call.scope.workspace_id, target, deployment);
    try {
      return { execution: await start(call, chosen, request, claim), isNew: true };
    } catch (error) {
      const quicker = claim && error instanceof KeyTaken ? await findStarted(call, claim) : undefined;
      if (!quicker) throw error;
      return { execution: replayed(call, quicker), isNew: false };
    }
  }

  return async (
    call: ExecuteCall,
    target: StartTarget,
    request: WorkflowExecutionRequest,
  ): Promise<ExecuteResponse> => {
    const { execution, isNew } = await startOnce(call, target, request);
    if (!request.wait_for_result) return showExecution(execution);
    const { workflowName, executionId } = execution;
    const ended = await waitForEnd(call, executionId, isNew, request.timeout_seconds ?? undefined);
    if (ended.status !== 'COMPLETED') throw executionWithoutResult(executionId, ended.status, ended.failure?.message);
    return { workflow_name: workflowName, execution_id: executionId, result: ended.result };
  };

  async function waitForEnd(call: ExecuteCall, executionId: string, isNew: boolean, timeoutSeconds?: number) {
    const { workspace_id } = call.scope;
    if (timeoutSeconds === undefined) return engine.waitForEnd(workspace_id, executionId, call.signal, isNew);
    const limited = limitSignal(call.signal, timeoutSeconds * 1000);
    try {
      return await engine.waitForEnd(workspace_id, executionId, limited.signal, isNew);
    } catch (error) {
      if (limited.isLate) throw executionWaitTimeout(executionId);
      throw error;
    } finally {
      limited.close();
    }
  }
}

function replayed(call: ExecuteCall, execution: Execution): Execution {
  call.setHeader('idempotency-replayed', 'true');
  return execution;
}

function claimOf({ scope, idempotencyKey }: ExecuteCall, target: StartTarget, request: unknown): Claim | undefined {
  if (idempotencyKey === undefined) return undefined;
  const request_hash = createHash('sha256')
    .update(JSON.stringify([target, request]))
    .digest('hex');
  return { principal: scope.principal, key: idempotencyKey, request_hash };
}

function metadataOf(request: WorkflowExecutionRequest): Record<string, Json> | undefined {
  const { custom_tracing_attributes, extensions } = request;
  if (!custom_tracing_attributes && !extensions) return undefined;
  return { custom_tracing_attributes: custom_tracing_attributes ?? {}, extensions: (extensions ?? {}) as Json };
}

export type Execute = ReturnType<typeof createExecute>;

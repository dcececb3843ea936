import type { Failure, HistoryEvent, Json } from '../../../../packages/workflows/src/protocol.ts';
import type { Tx } from '../../../kit/db/index.ts';
import type { ExecutionStatus } from '../../schema/statuses.ts';
import type { ListRuns } from '../../store/list-runs.ts';

/** The interface of both engines. Every call acts within one workspace; objects of others are reported as missing. */
export type WorkflowEngine = {
  /** Durable when it returns. Throws WF_1101 (409) when an execution of this id runs already. */
  start(request: StartExecution): Promise<Execution>;
  /** The execution's latest run, or the named one. */
  get(workspaceId: string, executionId: string, runId?: string): Promise<Execution | undefined>;
  getByRun(workspaceId: string, runId: string): Promise<Execution | undefined>;
  /** Resolves when the latest run (through continue-as-new) has ended; rejects with the signal. */
  /** `isNew`: this process has started it in the same turn of the event loop. */
  waitForEnd(workspaceId: string, executionId: string, signal: AbortSignal, isNew?: boolean): Promise<Execution>;
  list(workspaceId: string, filter: ListRuns): Promise<{ executions: Execution[]; next?: string }>;
  history(workspaceId: string, runId: string, after: number, limit: number): Promise<HistoryEvent[]>;
  signal(target: Target, name: string, input: Json): Promise<void>;
  query(target: Target, name: string, input: Json, signal: AbortSignal): Promise<Json>;
  /** Waits for the handler; a failed handler throws. */
  update(target: Target, name: string, input: Json, signal: AbortSignal): Promise<Json>;
  cancel(target: Target, reason?: string): Promise<void>;
  terminate(target: Target, reason?: string): Promise<void>;
  /** Throws a 422 with `valid_reset_events` when `eventId` is not the end of a workflow task. */
  reset(
    target: Target,
    reset: { eventId: number; reason?: string; excludeSignals: boolean; excludeUpdates: boolean },
  ): Promise<void>;
};

export type Target = { workspaceId: string; executionId: string };

export type StartExecution = {
  organizationId: string;
  workspaceId: string;
  userId: string | null;
  executionId?: string | undefined;
  workflowId: string;
  workflowName: string;
  displayName: string | null;
  registrationId: string;
  deploymentName: string;
  input: Json;
  executionTimeoutMs: number;
  searchKeyPaths: string[];
  scheduleId?: string;
  parent?: { executionId: string; runId: string; rootExecutionId: string; initiatedEventId: number };
  metadata?: Record<string, Json>;
  /**
   * Runs first in the transaction of this start, which is then not shared. What it writes (the claim of an
   * Idempotency-Key, the state of a schedule) commits with the start or not at all.
   */
  within?: ((tx: Tx, started: { executionId: string; runId: string }) => Promise<void>) | undefined;
};

export type Execution = {
  executionId: string;
  runId: string;
  workflowId: string;
  workflowName: string;
  registrationId: string;
  deploymentName: string;
  rootExecutionId: string;
  parentExecutionId: string | null;
  userId: string | null;
  scheduleId: string | null;
  status: ExecutionStatus;
  startedAt: string;
  endedAt: string | null;
  result: Json | null;
  failure: Failure | null;
};

/** What a child workflow's name resolves to: its registration with an active worker. */
export type ChildRegistration = {
  workflowId: string;
  displayName: string | null;
  registrationId: string;
  deploymentName: string;
  executionTimeoutMs: number;
  searchKeyPaths: string[];
};

export type FindRegistration = (
  workspaceId: string,
  workflowName: string,
  deploymentName?: string,
) => Promise<ChildRegistration | undefined>;

import type { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import type { Json, StartMemo } from '../../../../packages/workflows/src/protocol.ts';
import { systemClock } from '../../../kit/base/clock.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { toPayload } from './convert.ts';
import type { EncodeValue } from './encode-values.ts';
import { rethrowUnreachable } from './grpc.ts';
import type { Namespaces } from './namespaces.ts';
import { type RunClose, readClose } from './read-close.ts';
import type { PendingStep } from './rebuild-events.ts';
import type { SealedValues } from './sealed-values.ts';

type Event = temporal.api.history.v1.IHistoryEvent;
type Place = { workspaceId: string; executionId: string; temporalRunId: string };

const { HistoryEventFilterType, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } = proto.temporal.api.enums.v1;

/** A cluster that takes longer for a call counts as unreachable. */
const CALL_MS = 5000;
const IDENTITY = 'tramontane';

export type Cluster = ReturnType<typeof createCluster>;

/** Calls to Temporal, each in the namespace of a workspace. */
export function createCluster(options: {
  connection: Connection;
  namespaces: Namespaces;
  encode: EncodeValue;
  sealed: SealedValues;
}) {
  const { connection, namespaces, encode, sealed } = options;
  const { workflowService } = connection;

  async function inNamespace<T>(workspaceId: string, ask: (namespace: string) => Promise<T>): Promise<T> {
    return connection.withDeadline(systemClock() + CALL_MS, async () =>
      ask(await namespaces.ensureNamespace(workspaceId)),
    );
  }

  const executionOf = (executionId: string, temporalRunId?: string | null) => ({
    workflowId: executionId,
    ...(temporalRunId ? { runId: temporalRunId } : {}),
  });

  async function* pagesOf(place: Place, pageSize?: number): AsyncGenerator<Event[]> {
    let nextPageToken: Uint8Array | undefined;
    do {
      const token = nextPageToken;
      const answer = await inNamespace(place.workspaceId, (namespace) =>
        workflowService.getWorkflowExecutionHistory({
          namespace,
          execution: executionOf(place.executionId, place.temporalRunId),
          ...(token ? { nextPageToken: token } : {}),
          ...(pageSize === undefined ? {} : { maximumPageSize: pageSize }),
        }),
      );
      yield (answer.history?.events ?? []).map((event) => sealed.openIn(place.workspaceId, event));
      nextPageToken = answer.nextPageToken;
    } while (nextPageToken?.length);
  }

  return {
    /** Returns the Temporal run id. Idempotent: our run id is the request id. */
    start(row: RunRow, input: Json): Promise<string> {
      const memo: StartMemo = {
        run_id: row.run_id,
        ...(row.schedule_id === null ? {} : { schedule_id: row.schedule_id }),
      };
      return inNamespace(row.workspace_id, async (namespace) => {
        const { runId } = await workflowService.startWorkflowExecution({
          namespace,
          workflowId: row.execution_id,
          workflowType: { name: row.workflow_name },
          taskQueue: { name: row.deployment_name },
          input: { payloads: [await encode(row, namespace, input, true)] },
          requestId: row.run_id,
          identity: IDENTITY,
          workflowIdReusePolicy: WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
          memo: { fields: Object.fromEntries(Object.entries(memo).map(([key, value]) => [key, toPayload(value)])) },
          ...(row.timeout_ms > 0 ? { workflowExecutionTimeout: msToTs(row.timeout_ms) } : {}),
        });
        return runId;
      });
    },

    /**
     * How the run ended; undefined while it runs. Reads the newest event, because a request for the close event would
     * block until there is one.
     */
    readEnd(row: RunRow, temporalRunId: string): Promise<RunClose | undefined> {
      return inNamespace(row.workspace_id, async (namespace) => {
        const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
          namespace,
          execution: executionOf(row.execution_id, temporalRunId),
          maximumPageSize: 1,
        });
        const newest = history?.events?.[0];
        return newest && readClose(sealed.openIn(row.workspace_id, newest));
      });
    },

    /** Waits for the end; undefined when Temporal's long poll times out. */
    async waitForEnd(row: RunRow, temporalRunId: string, signal: AbortSignal): Promise<RunClose | undefined> {
      const namespace = await namespaces.ensureNamespace(row.workspace_id);
      const { history } = await connection.withAbortSignal(signal, () =>
        workflowService.getWorkflowExecutionHistory({
          namespace,
          execution: executionOf(row.execution_id, temporalRunId),
          historyEventFilterType: HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
          waitNewEvent: true,
        }),
      );
      const last = history?.events?.at(-1);
      return last && readClose(sealed.openIn(row.workspace_id, last));
    },

    async describe(row: RunRow, temporalRunId: string): Promise<{ isOpen: boolean; isRetryingTurn: boolean }> {
      return inNamespace(row.workspace_id, async (namespace) => {
        const execution = executionOf(row.execution_id, temporalRunId);
        const { workflowExecutionInfo, pendingWorkflowTask } = await workflowService.describeWorkflowExecution({
          namespace,
          execution,
        });
        const { WORKFLOW_EXECUTION_STATUS_RUNNING } = proto.temporal.api.enums.v1.WorkflowExecutionStatus;
        return {
          isOpen: workflowExecutionInfo?.status === WORKFLOW_EXECUTION_STATUS_RUNNING,
          isRetryingTurn: (pendingWorkflowTask?.attempt ?? 1) > 1,
        };
      });
    },

    /** Events after `after`, in order, up to `limit`. */
    async readHistory(place: Place, after: number, limit: number): Promise<Event[]> {
      const events: Event[] = [];
      try {
        for await (const page of pagesOf(place, after === 0 && limit < 100 ? limit : undefined)) {
          for (const event of page) if (Number(event.eventId) > after) events.push(event);
          if (events.length >= limit) break;
        }
      } catch (error) {
        rethrowUnreachable(error);
      }
      return events.slice(0, limit);
    },

    historyPages: (place: Place) => pagesOf(place),

    /** Steps that have not ended. */
    listPending: (row: RunRow, temporalRunId: string): Promise<PendingStep[]> =>
      inNamespace(row.workspace_id, async (namespace) => {
        const execution = executionOf(row.execution_id, temporalRunId);
        const { pendingActivities } = await workflowService.describeWorkflowExecution({ namespace, execution });
        const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;
        return pendingActivities.map(({ activityId, attempt, state, lastFailure }) => ({
          activityId: activityId ?? '',
          attempt: attempt ?? 1,
          isStarted: state !== PENDING_ACTIVITY_STATE_SCHEDULED,
          lastFailure: lastFailure && sealed.openIn(row.workspace_id, lastFailure),
        }));
      }),

    signal: (row: RunRow, name: string, input: Json, requestId: string) =>
      inNamespace(row.workspace_id, async (namespace) =>
        workflowService.signalWorkflowExecution({
          namespace,
          workflowExecution: executionOf(row.execution_id),
          signalName: name,
          input: { payloads: [await encode(row, namespace, input)] },
          identity: IDENTITY,
          requestId,
        }),
      ),

    cancel: (row: RunRow, requestId: string, reason?: string) =>
      inNamespace(row.workspace_id, (namespace) =>
        workflowService.requestCancelWorkflowExecution({
          namespace,
          workflowExecution: executionOf(row.execution_id),
          identity: IDENTITY,
          requestId,
          reason: reason ?? '',
        }),
      ),

    terminate: (row: RunRow, temporalRunId: string, reason?: string) =>
      inNamespace(row.workspace_id, (namespace) =>
        workflowService.terminateWorkflowExecution({
          namespace,
          workflowExecution: executionOf(row.execution_id, temporalRunId),
          identity: IDENTITY,
          reason: reason ?? '',
        }),
      ),

    /** Returns the id of the new run. */
    reset: (
      row: RunRow,
      temporalRunId: string,
      reset: { eventId: number; reason: string; requestId: string; excludeSignals: boolean; excludeUpdates: boolean },
    ) =>
      inNamespace(row.workspace_id, async (namespace) => {
        const { RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL, RESET_REAPPLY_EXCLUDE_TYPE_UPDATE } =
          proto.temporal.api.enums.v1.ResetReapplyExcludeType;
        const { runId } = await workflowService.resetWorkflowExecution({
          namespace,
          workflowExecution: executionOf(row.execution_id, temporalRunId),
          reason: reset.reason,
          requestId: reset.requestId,
          identity: IDENTITY,
          workflowTaskFinishEventId: reset.eventId as never,
          resetReapplyExcludeTypes: [
            ...(reset.excludeSignals ? [RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL] : []),
            ...(reset.excludeUpdates ? [RESET_REAPPLY_EXCLUDE_TYPE_UPDATE] : []),
          ],
        });
        return runId;
      }),

    /** Runs that ended after a time. Temporal's index may lag behind. */
    listEnded: (workspaceId: string, sinceMs: number) =>
      inNamespace(workspaceId, async (namespace) => {
        const query = `ExecutionStatus != 'Running' AND CloseTime > '${new Date(sinceMs).toISOString()}'`;
        const { executions } = await workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1000 });
        return executions.flatMap(({ execution }) => (execution?.runId ? [execution.runId] : []));
      }),
  };
}

import type { CustomTaskEvent, Json } from '../../../packages/workflows/src/protocol.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Events, NewEvent } from '../../kit/events/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { WorkerPort } from '../engines/embedded/worker-port.ts';
import { constantsOf, valuesOf } from '../engines/port/project-events.ts';
import type { ClusterRuns } from '../engines/temporal/cluster-runs.ts';
import { workflowErrors } from '../errors.ts';
import {
  attributesOf,
  isInternal,
  isOfExecution,
  keyOf,
  stepsEndedBy,
  toMicros,
} from '../events/parse-worker-event.ts';
import type { Payloads } from '../payloads/port.ts';
import { hasEnded } from '../schema/statuses.ts';
import type { WorkerEvent } from '../schema/worker-events.ts';
import { insertEmitted } from '../store/emitted.ts';

/**
 * Events that workers publish. With the embedded engine these are custom tasks only. On Temporal workers also publish
 * steps, and announce starts and ends of executions.
 */
export function createWorkerEvents(deps: {
  database: Database;
  events: Events;
  payloads: Payloads;
  workers: Pick<WorkerPort, 'recordEvents'>;
  cluster: ClusterRuns | undefined;
}) {
  const { database, events, payloads, workers, cluster } = deps;

  /** Packs payloads before the transaction, each argument of a step separately. */
  async function packed(scope: Scope, event: WorkerEvent): Promise<Record<string, Json>> {
    const attributes = attributesOf(event);
    const pack = (value: Json) => payloads.pack(scope.workspace_id, value);
    for (const name of ['input', 'result']) {
      const payload = attributes[name] as { value: Json } | undefined;
      if (payload === undefined) continue;
      const { value } = payload;
      const kept = Array.isArray(value) ? await Promise.all(value.map(pack)) : await pack(value);
      attributes[name] = { ...payload, value: kept };
    }
    return attributes;
  }

  async function publish(
    tx: Tx,
    scope: Scope,
    runs: ClusterRuns,
    sent: readonly { event: WorkerEvent; attributes: Record<string, Json> }[],
  ): Promise<void> {
    const appended = new Map<string, NewEvent[]>();
    for (const { event, attributes } of sent) {
      const run = await runs.find(tx, scope.workspace_id, event.workflow_run_id);
      if (run?.execution_id !== event.workflow_exec_id)
        throw workflowErrors.execution_not_found(event.workflow_exec_id);
      // A run that has ended publishes no more events: its streams are closed.
      if (hasEnded(run.status) || !(await insertEmitted(tx, run.run_id, keyOf(event)))) continue;
      const { event_id, event_type } = event;
      const event_timestamp = toMicros(event.event_timestamp);
      const data = valuesOf({ event_id, event_timestamp, event_type, attributes });
      const { stream, form } = constantsOf(run);
      appended.set(stream, [...(appended.get(stream) ?? []), { type: event_type, data, form }]);
    }
    if (appended.size > 0) await events.appendMany(tx, appended);
  }

  async function takeFromCluster(scope: Scope, runs: ClusterRuns, sent: readonly WorkerEvent[]): Promise<void> {
    const shown = sent.filter((event) => !isOfExecution(event) && !isInternal(event));
    for (const [runId, [first, ...more]] of byRun(shown)) {
      const run = { workspaceId: scope.workspace_id, executionId: first.workflow_exec_id, runId };
      await runs.catchUp(run, stepsEndedBy([first, ...more]));
    }
    const ready = await Promise.all(shown.map(async (event) => ({ event, attributes: await packed(scope, event) })));
    if (ready.length > 0) await database.transaction((tx) => publish(tx, scope, runs, ready));
    for (const { event_type, workflow_exec_id, workflow_run_id } of sent.filter(isOfExecution)) {
      const run = { workspaceId: scope.workspace_id, executionId: workflow_exec_id, runId: workflow_run_id };
      if (event_type === 'WORKFLOW_EXECUTION_STARTED') await runs.began(run);
      else await runs.ended(run);
    }
  }

  return {
    async take(scope: Scope, sent: readonly WorkerEvent[]): Promise<void> {
      if (cluster) return takeFromCluster(scope, cluster, sent);
      await workers.recordEvents(scope.workspace_id, sent.map(toCustomEvent));
    },
  };
}

function byRun(events: readonly WorkerEvent[]): Map<string, [WorkerEvent, ...WorkerEvent[]]> {
  const runs = new Map<string, [WorkerEvent, ...WorkerEvent[]]>();
  for (const event of events) {
    const known = runs.get(event.workflow_run_id);
    if (known) known.push(event);
    else runs.set(event.workflow_run_id, [event]);
  }
  return runs;
}

function toCustomEvent({ event_type, attributes, ...sent }: WorkerEvent) {
  if (!event_type.startsWith('CUSTOM_TASK_'))
    throw workflowErrors.event_type_not_allowed(
      ['body', 'event_type'],
      'The engine of this server publishes this event itself.',
      event_type,
    );
  const { event_id, event_timestamp, workflow_exec_id, workflow_run_id } = sent;
  const event = { event_type, ...attributes } as CustomTaskEvent;
  return { event_id, event_timestamp, workflow_exec_id, workflow_run_id, event };
}

export type WorkerEvents = ReturnType<typeof createWorkerEvents>;

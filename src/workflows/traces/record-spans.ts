import { SlotMap } from '../../kit/base/slot-map.ts';
import { type RecordSpan, toTraceId, type WorkSpan } from '../../metering/index.ts';
import type { OwnEvent } from '../engines/port/project-events.ts';
import type { OnEvent } from '../engines/port/run-unit.ts';
import type { RunRow } from '../store/run-tables.ts';
import { spanIdOf } from './span-ids.ts';

/** Runs of which something is known here; the oldest are forgotten first. */
const RUNS_MAX = 10_000;
/** Of all runs together; many end in another process, which this one does not hear of. */
const OPEN_STEPS_MAX = 20_000;
const US_PER_MS = 1000;
const FAILED = 500;
const CANCELED = 499;

/** What the spans of a run share, and when its open steps began. */
type KnownRun = {
  traceId: string;
  spanId: string;
  scope: WorkSpan['scope'];
  attributes: Record<string, string>;
  begunMs: Map<string, number>;
};
type StepAttributes = { task_id: string; activity_name: string };

/** Hands executions and their steps over as spans when they end. Payloads are no part of them. */
export function createSpanRecorder(recordSpan: RecordSpan): OnEvent {
  const runs = new SlotMap<KnownRun>();
  let openSteps = 0;

  function forget(runId: string): void {
    openSteps -= runs.get(runId)?.begunMs.size ?? 0;
    runs.delete(runId);
  }

  function makeRoom(): void {
    while (runs.size >= RUNS_MAX || openSteps >= OPEN_STEPS_MAX) {
      const [oldest] = runs.keys();
      if (oldest === undefined) return;
      forget(oldest);
    }
  }

  function know(run: RunRow): KnownRun {
    const known = runs.get(run.run_id);
    if (known) return known;
    makeRoom();
    const { organization_id, workspace_id, user_id } = run;
    const made: KnownRun = {
      traceId: toTraceId(run.root_execution_id),
      spanId: spanIdOf(run.run_id, ''),
      scope: { organization_id, workspace_id, user_id: user_id ?? '', key_id: '' },
      attributes: { 'wf.workflow.execution_id': run.execution_id },
      begunMs: new Map(),
    };
    runs.set(run.run_id, made);
    return made;
  }

  function begin({ attributes, event_timestamp }: OwnEvent, run: RunRow): void {
    makeRoom();
    const { begunMs } = know(run);
    const { task_id } = attributes as StepAttributes;
    if (begunMs.has(task_id)) return;
    begunMs.set(task_id, event_timestamp / US_PER_MS);
    openSteps++;
  }

  function recordStep(event: OwnEvent, run: RunRow, status: number): void {
    const { task_id, activity_name } = event.attributes as StepAttributes;
    const endedAt = event.event_timestamp / US_PER_MS;
    const { traceId, spanId: parentId, scope, attributes, begunMs } = know(run);
    const startedAt = begunMs.get(task_id) ?? endedAt;
    if (begunMs.delete(task_id)) openSteps--;
    recordSpan({
      scope,
      place: { traceId, spanId: spanIdOf(run.run_id, task_id), parentId, isWithin: true },
      name: `execute_step ${activity_name}`,
      operation: 'execute_step',
      startedAt,
      endedAt,
      status,
      errorType: errorTypeOf(event, status),
      workflowName: run.workflow_name,
      attributes,
    });
  }

  function recordRun(event: OwnEvent, run: RunRow, status: number): void {
    const parentId = run.parent_run_id === null ? '' : spanIdOf(run.parent_run_id, '');
    const { traceId, spanId, scope, attributes } = know(run);
    forget(run.run_id);
    recordSpan({
      scope,
      place: { traceId, spanId, parentId, isWithin: parentId !== '' },
      name: `invoke_workflow ${run.workflow_name}`,
      operation: 'invoke_workflow',
      startedAt: Date.parse(run.started_at),
      endedAt: event.event_timestamp / US_PER_MS,
      status,
      errorType: errorTypeOf(event, status),
      workflowName: run.workflow_name,
      // The id of the run is with its own span.
      attributes: { ...attributes, 'wf.run.id': run.run_id },
    });
  }

  return (event, run) => {
    switch (event.event_type) {
      case 'ACTIVITY_TASK_STARTED':
        return begin(event, run);
      case 'ACTIVITY_TASK_COMPLETED':
        return recordStep(event, run, 200);
      case 'ACTIVITY_TASK_FAILED':
        return recordStep(event, run, FAILED);
      case 'WORKFLOW_EXECUTION_COMPLETED':
      case 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW':
        return recordRun(event, run, 200);
      case 'WORKFLOW_EXECUTION_FAILED':
        return recordRun(event, run, FAILED);
      case 'WORKFLOW_EXECUTION_CANCELED':
        return recordRun(event, run, CANCELED);
      default:
        return undefined;
    }
  };
}

/** The type of a failure; its message may quote what the step was given. */
function errorTypeOf({ attributes }: OwnEvent, status: number): string | undefined {
  if (status < 400) return undefined;
  const { failure } = attributes as { failure?: { type?: string } };
  return status === CANCELED ? 'canceled' : (failure?.type ?? 'failed').slice(0, 100);
}

import type { RecordSpan, WorkSpan } from '../../metering/index.ts';
import type { OwnEvent } from '../engines/port/project-events.ts';
import type { OnEvent } from '../engines/port/run-unit.ts';
import type { RunRow } from '../store/run-tables.ts';
import { spanIdOf, traceIdOf } from './span-ids.ts';

/** Steps whose start was seen here; the oldest are forgotten first. */
const OPEN_MAX = 20_000;
/** Runs whose ids are kept. */
const IDS_MAX = 2000;
const US_PER_MS = 1000;
const FAILED = 500;
const CANCELED = 499;

type Ids = { traceId: string; spanId: string };

const stepKey = ({ attributes }: OwnEvent, { run_id }: RunRow): string => `${run_id}:${attributes.task_id}`;

/** Hands executions and their steps over as spans when they end. Payloads are no part of them. */
export function createSpanRecorder(recordSpan: RecordSpan): OnEvent {
  const open = new Map<string, number>();
  const ids = new Map<string, Ids>();

  function begin(key: string, ms: number): void {
    const [oldest] = open.keys();
    if (open.size >= OPEN_MAX && oldest !== undefined) open.delete(oldest);
    if (!open.has(key)) open.set(key, ms);
  }

  /** Ids are hashes: those of a run serve all of its steps. */
  function idsOf(run: RunRow): Ids {
    const known = ids.get(run.run_id);
    if (known) return known;
    const [oldest] = ids.keys();
    if (ids.size >= IDS_MAX && oldest !== undefined) ids.delete(oldest);
    const made = { traceId: traceIdOf(run.root_execution_id), spanId: spanIdOf(run.run_id, '') };
    ids.set(run.run_id, made);
    return made;
  }

  function recordStep(event: OwnEvent, run: RunRow, status: number): void {
    const { task_id, activity_name } = event.attributes as { task_id: string; activity_name: string };
    const key = stepKey(event, run);
    const endedAt = event.event_timestamp / US_PER_MS;
    const startedAt = open.get(key) ?? endedAt;
    open.delete(key);
    const { traceId, spanId: parentId } = idsOf(run);
    recordSpan({
      ...whose(run),
      place: { traceId, spanId: spanIdOf(run.run_id, task_id), parentId, isWithin: true },
      name: `execute_step ${activity_name}`,
      operation: 'execute_step',
      ...{ startedAt, endedAt, status },
      ...failureOf(event, status),
    });
  }

  function recordRun(event: OwnEvent, run: RunRow, status: number): void {
    const parentId = run.parent_run_id === null ? '' : spanIdOf(run.parent_run_id, '');
    const { traceId, spanId } = idsOf(run);
    ids.delete(run.run_id);
    recordSpan({
      ...whose(run),
      attributes: { 'wf.workflow.execution_id': run.execution_id, 'wf.run.id': run.run_id },
      place: { traceId, spanId, parentId, isWithin: parentId !== '' },
      name: `invoke_workflow ${run.workflow_name}`,
      operation: 'invoke_workflow',
      startedAt: Date.parse(run.started_at),
      endedAt: event.event_timestamp / US_PER_MS,
      status,
      ...failureOf(event, status),
    });
  }

  return (event, run) => {
    switch (event.event_type) {
      case 'ACTIVITY_TASK_STARTED':
        return begin(stepKey(event, run), event.event_timestamp / US_PER_MS);
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

/** The id of the run is with its own span. */
function whose(run: RunRow): Pick<WorkSpan, 'scope' | 'workflowName' | 'attributes'> {
  const { organization_id, workspace_id, user_id, execution_id, workflow_name } = run;
  return {
    scope: { organization_id, workspace_id, user_id: user_id ?? '', key_id: '' },
    workflowName: workflow_name,
    attributes: { 'wf.workflow.execution_id': execution_id },
  };
}

/** The type of a failure; its message may quote what the step was given. */
function failureOf({ attributes }: OwnEvent, status: number): Pick<WorkSpan, 'errorType'> {
  if (status < 400) return {};
  const { failure } = attributes as { failure?: { type?: string } };
  return { errorType: status === CANCELED ? 'canceled' : (failure?.type ?? 'failed').slice(0, 100) };
}

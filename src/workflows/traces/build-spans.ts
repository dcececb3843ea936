import type { HistoryEvent } from '../../../packages/workflows/src/protocol.ts';
import type { PublicEvent } from '../engines/port/project-events.ts';
import { spanIdOf } from './span-ids.ts';

export type SpanValue = string | number | boolean;
export type SpanStatus = 'RUNNING' | 'COMPLETED' | 'FAILED';
export type SpanEvent = { name: string; micros: number; attributes: Record<string, SpanValue>; isInternal: boolean };

export type Span = {
  id: string;
  parentId: string | null;
  name: string;
  startMicros: number;
  /** Null while it runs. */
  endMicros: number | null;
  status: SpanStatus;
  error: string | null;
  attributes: Record<string, SpanValue>;
  events: SpanEvent[];
  /** Turns of workflow code, which say nothing of what it does. */
  isInternal: boolean;
};

const SPANS_MAX = 10_000;

export type SpanBuilder = ReturnType<typeof createSpanBuilder>;

/** Spans of an execution and its descendants, from events and histories in their order. */
export function createSpanBuilder(executionId: string) {
  const spans = new Map<string, Span>();
  /** The span of each execution, and of its newest run. */
  const executions = new Map<string, { first: Span; newest: Span }>();
  /** Spans within each run, to be closed with it. */
  const within = new Map<string, Span[]>();
  let isTruncated = false;

  function begin(span: Pick<Span, 'id' | 'parentId' | 'name' | 'startMicros'> & Partial<Span>, runId: string): Span {
    const known = spans.get(span.id);
    if (known) return known;
    const whole: Span = {
      endMicros: null,
      status: 'RUNNING',
      error: null,
      attributes: {},
      events: [],
      isInternal: false,
      ...span,
    };
    if (spans.size >= SPANS_MAX) {
      isTruncated = true;
      return whole;
    }
    spans.set(whole.id, whole);
    const inner = within.get(runId);
    if (inner) inner.push(whole);
    else within.set(runId, [whole]);
    return whole;
  }

  function end(span: Span | undefined, micros: number, error?: string | null): void {
    if (!span) return;
    span.endMicros = Math.max(micros, span.startMicros);
    span.status = error === undefined ? 'COMPLETED' : 'FAILED';
    span.error = error ?? null;
  }

  function note(span: Span | undefined, name: string, micros: number, attributes: SpanEvent['attributes'], more = {}) {
    span?.events.push({ name, micros, attributes, isInternal: false, ...more });
  }

  function startRun(event: PublicEvent): void {
    const { workflow_exec_id: id, workflow_run_id: runId, parent_workflow_exec_id: parent } = event;
    const known = executions.get(id);
    const parentSpan = known?.first ?? (id === executionId ? undefined : executions.get(parent ?? '')?.newest);
    const span = begin(
      {
        id: spanIdOf(runId, ''),
        parentId: parentSpan?.id ?? null,
        name: `ExecuteWorkflow:${event.workflow_name}`,
        startMicros: event.event_timestamp,
        attributes: {
          'wf.type': 'workflow',
          'wf.workflow.type': event.workflow_name,
          'wf.workflow.execution_id': id,
          'wf.run.id': runId,
          ...(event.schedule_id === null ? {} : { 'wf.schedule.id': event.schedule_id }),
        },
      },
      runId,
    );
    executions.set(id, { first: known?.first ?? span, newest: span });
    // A run that continues another, or takes its place, opens the execution again.
    if (known) Object.assign(known.first, { endMicros: null, status: 'RUNNING', error: null });
  }

  function endRun(event: PublicEvent, error?: string | null): void {
    const { workflow_run_id: runId, event_timestamp: micros } = event;
    const own = spans.get(spanIdOf(runId, ''));
    end(own, micros, error);
    for (const span of within.get(runId) ?? []) if (span.endMicros === null) end(span, micros, error);
    const known = executions.get(event.workflow_exec_id);
    if (known && known.newest === own && known.first !== own) end(known.first, micros, error);
  }

  const runSpan = (runId: string) => spans.get(spanIdOf(runId, ''));

  function startStep(event: PublicEvent): Span {
    const { task_id, activity_name } = event.attributes as { task_id: string; activity_name: string };
    const { workflow_run_id: runId } = event;
    return begin(
      {
        id: spanIdOf(runId, task_id),
        parentId: runSpan(runId)?.id ?? null,
        name: `ExecuteActivity:${activity_name}`,
        startMicros: event.event_timestamp,
        attributes: {
          'wf.type': 'activity',
          'wf.activity.type': activity_name,
          'wf.activity.id': task_id,
          'wf.activity.attempt': 1,
          'wf.run.id': runId,
        },
      },
      runId,
    );
  }

  function startTask(event: PublicEvent): Span {
    const { custom_task_id: id, custom_task_type: type } = event.attributes as Record<string, string>;
    const { workflow_run_id: runId } = event;
    return begin(
      {
        id: spanIdOf(runId, `task:${id}`),
        parentId: runSpan(runId)?.id ?? null,
        name: `Task:${type}`,
        startMicros: event.event_timestamp,
        attributes: { 'wf.type': 'custom_task', 'task.id': id ?? '', 'task.type': type ?? '', 'wf.run.id': runId },
      },
      runId,
    );
  }

  return {
    takeEvent(event: PublicEvent) {
      const { event_type, event_timestamp: micros, attributes, workflow_run_id: runId } = event;
      const isInside =
        event.workflow_exec_id === executionId ||
        executions.has(event.workflow_exec_id) ||
        executions.has(event.parent_workflow_exec_id ?? '');
      if (!isInside) return;
      const error = messageOf(attributes.failure) ?? textOf(attributes.reason);
      switch (event_type) {
        case 'WORKFLOW_EXECUTION_STARTED':
          return startRun(event);
        case 'WORKFLOW_EXECUTION_COMPLETED':
        case 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW':
          return endRun(event);
        case 'WORKFLOW_EXECUTION_FAILED':
        case 'WORKFLOW_EXECUTION_CANCELED':
          return endRun(event, error ?? 'canceled');
        case 'ACTIVITY_TASK_STARTED':
          return void startStep(event);
        case 'ACTIVITY_TASK_COMPLETED':
          return end(startStep(event), micros);
        case 'ACTIVITY_TASK_RETRYING':
        case 'ACTIVITY_TASK_FAILED': {
          const span = startStep(event);
          const attempt = Number(attributes.attempt ?? 1);
          if (event_type === 'ACTIVITY_TASK_FAILED') {
            span.attributes['wf.activity.attempt'] = attempt;
            return end(span, micros, error ?? '');
          }
          span.attributes['wf.activity.attempt'] = attempt + 1;
          return note(span, 'retrying', micros, { attempt, 'error.message': error ?? '' });
        }
        case 'CUSTOM_TASK_STARTED':
          return void startTask(event);
        case 'CUSTOM_TASK_IN_PROGRESS':
          return note(startTask(event), 'in_progress', micros, {});
        case 'CUSTOM_TASK_COMPLETED':
          return end(startTask(event), micros);
        case 'CUSTOM_TASK_FAILED':
        case 'CUSTOM_TASK_TIMED_OUT':
        case 'CUSTOM_TASK_CANCELED':
          return end(
            startTask(event),
            micros,
            error ?? (event_type === 'CUSTOM_TASK_TIMED_OUT' ? 'timed out' : 'canceled'),
          );
        default:
          return note(runSpan(runId), event_type, micros, error === undefined ? {} : { 'error.message': error }, {
            isInternal: true,
          });
      }
    },

    /** Timers, turns, signals and updates, of which there are no events. */
    takeHistory(runId: string, history: HistoryEvent) {
      const run = runSpan(runId);
      const micros = history.time_ms * 1000;
      const { attributes, type } = history;
      const timer = spanIdOf(runId, `timer:${attributes.timer_id}`);
      const turn = spanIdOf(runId, `turn:${attributes.started_event_id ?? history.id}`);
      const parentId = run?.id ?? null;
      switch (type) {
        case 'TIMER_STARTED':
          return void begin(
            {
              id: timer,
              parentId,
              name: `Timer:${attributes.timer_id}`,
              startMicros: micros,
              attributes: { 'wf.type': 'timer', 'wf.timer.id': String(attributes.timer_id), 'wf.run.id': runId },
            },
            runId,
          );
        case 'TIMER_FIRED':
          return end(spans.get(timer), micros);
        case 'TIMER_CANCELED':
          return end(spans.get(timer), micros, 'canceled');
        case 'WORKFLOW_TASK_STARTED': {
          const own = { 'wf.type': 'workflow_task', 'wf.run.id': runId };
          const id = spanIdOf(runId, `turn:${history.id}`);
          const name = 'WorkflowTask';
          return void begin({ id, parentId, name, startMicros: micros, attributes: own, isInternal: true }, runId);
        }
        case 'WORKFLOW_TASK_COMPLETED':
          return end(spans.get(turn), micros);
        case 'WORKFLOW_TASK_FAILED':
        case 'WORKFLOW_TASK_TIMED_OUT':
          return end(spans.get(turn), micros, messageOf(attributes.failure) ?? 'timed out');
        case 'WORKFLOW_EXECUTION_SIGNALED':
          return note(run, 'signal', micros, { 'signal.name': String(attributes.signal_name) });
        case 'WORKFLOW_EXECUTION_UPDATE_ADMITTED':
          return note(run, 'update', micros, { 'update.name': String(attributes.update_name) });
        default:
          return;
      }
    },

    /** The runs seen so far, the oldest first. */
    runIds: () => [...within.keys()],

    /** By their start; the first is the execution itself. */
    finish(): Span[] {
      const root = executions.get(executionId)?.first;
      if (root && isTruncated) root.attributes['wf.trace.truncated'] = true;
      // Histories have milliseconds: a span does not end after the run that it is part of.
      for (const [runId, inner] of within) {
        const last = runSpan(runId)?.endMicros;
        for (const span of inner) if (last) close(span, last);
      }
      const rest = [...spans.values()].filter((span) => span !== root).sort((a, b) => a.startMicros - b.startMicros);
      return root ? [root, ...rest] : rest;
    },
  };
}

function close(span: Span, micros: number): void {
  if (span.endMicros === null)
    Object.assign(span, { endMicros: Math.max(micros, span.startMicros), status: 'COMPLETED' });
}

function messageOf(failure: unknown): string | undefined {
  const message = (failure as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Events } from '../../kit/events/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { toTraceId } from '../../metering/index.ts';
import type { Execution, WorkflowEngine } from '../engines/port/engine.ts';
import { type PublicEvent, streamOf } from '../engines/port/project-events.ts';
import { workflowErrors } from '../errors.ts';
import type {
  ExecutionTraceInfoResponse,
  TraceEventsQuery,
  WorkflowExecutionTraceEventsResponse,
  WorkflowExecutionTraceOTelResponse,
  WorkflowExecutionTraceSummaryResponse,
} from '../schema/traces.ts';
import { showExecution } from '../show-execution.ts';
import { findRunRow } from '../store/runs.ts';
import { createSpanBuilder, type Span, type SpanBuilder } from '../traces/build-spans.ts';
import { otelAttributes, toEvents, toOtel, toTree } from '../traces/show-spans.ts';

/** An event has up to 256 KiB in its row. */
const PAGE = 64;
const EVENTS_MAX = 20_000;
const HISTORY_PAGE = 256;
const HISTORY_EVENTS_MAX = 10_000;
const RUNS_MAX = 20;

export type TraceService = {
  info(scope: Scope, executionId: string): Promise<ExecutionTraceInfoResponse>;
  otel(scope: Scope, executionId: string): Promise<WorkflowExecutionTraceOTelResponse>;
  summary(scope: Scope, executionId: string): Promise<WorkflowExecutionTraceSummaryResponse>;
  events(scope: Scope, executionId: string, query: TraceEventsQuery): Promise<WorkflowExecutionTraceEventsResponse>;
};

/** Traces are made of events and histories when they are read; no spans are stored. Payloads are no part of them. */
export function createTraces(deps: {
  database: Database;
  engine: WorkflowEngine;
  events: Events;
  now: Clock;
  log: Logger;
}): TraceService {
  const { database, engine, events, now, log } = deps;
  const { db } = database;

  async function mustFind(scope: Scope, executionId: string): Promise<Execution> {
    const execution = await engine.get(scope.workspace_id, executionId);
    if (!execution) throw workflowErrors.execution_not_found(executionId);
    return execution;
  }

  async function readEvents(builder: SpanBuilder, workspace_id: string, root_execution_id: string): Promise<void> {
    const stream = streamOf({ workspace_id, root_execution_id });
    let after = 0;
    for (let read = 0; read < EVENTS_MAX; read += PAGE) {
      const page = await events.list(db, stream, { after, limit: PAGE });
      for (const { data } of page) builder.takeEvent(data as PublicEvent);
      if (page.length < PAGE) return;
      after = page.at(-1)?.seq ?? after;
    }
  }

  /** A history that cannot be read, because Temporal is away or has deleted it, leaves the timers out. */
  async function readHistory(builder: SpanBuilder, workspaceId: string, runId: string): Promise<void> {
    try {
      let after = 0;
      for (let read = 0; read < HISTORY_EVENTS_MAX; read += HISTORY_PAGE) {
        const page = await engine.history(workspaceId, runId, after, HISTORY_PAGE);
        for (const event of page) builder.takeHistory(runId, event);
        if (page.length < HISTORY_PAGE) return;
        after = page.at(-1)?.id ?? after;
      }
    } catch (error) {
      log.warn({ err: error, run_id: runId }, 'a trace was made without the history of a run');
    }
  }

  async function spansOf(scope: Scope, execution: Execution): Promise<Span[]> {
    const { workspace_id } = scope;
    const builder = createSpanBuilder(execution.executionId);
    await readEvents(builder, workspace_id, execution.rootExecutionId);
    for (const runId of builder.runIds().slice(-RUNS_MAX)) await readHistory(builder, workspace_id, runId);
    const spans = builder.finish();
    const run = await findRunRow(db, workspace_id, execution.runId);
    const given = run?.metadata?.custom_tracing_attributes as Record<string, string> | undefined;
    if (spans[0] && given) spans[0].attributes = { ...given, ...spans[0].attributes };
    return spans;
  }

  return {
    async info(scope, executionId) {
      await mustFind(scope, executionId);
      return { otel_trace_id: toTraceId(executionId), has_trace_data: true };
    },

    async otel(scope, executionId) {
      const execution = await mustFind(scope, executionId);
      const traceId = toTraceId(executionId);
      const spans = (await spansOf(scope, execution)).map((span) => toOtel(span, traceId, now() * 1000));
      const resource = { 'service.name': execution.deploymentName, 'wf.workspace.id': scope.workspace_id };
      return {
        ...showExecution(execution),
        data_source: 'events',
        otel_trace_id: traceId,
        otel_trace_data: {
          batches: [
            {
              resource: { attributes: otelAttributes(resource) },
              scopeSpans: [{ scope: { name: 'tramontane.workflows' }, spans }],
            },
          ],
        },
      };
    },

    async summary(scope, executionId) {
      const execution = await mustFind(scope, executionId);
      return { ...showExecution(execution), span_tree: toTree(await spansOf(scope, execution)) };
    },

    async events(scope, executionId, query) {
      const execution = await mustFind(scope, executionId);
      return { ...showExecution(execution), events: toEvents(await spansOf(scope, execution), query) };
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Events } from '../../kit/events/index.ts';
import type { PageTokens, Scope, SseEvent } from '../../kit/http/index.ts';
import { toTraceId } from '../../metering/index.ts';
import type { WorkflowEngine } from '../engines/port/engine.ts';
import { parseCursor, workflowErrors } from '../errors.ts';
import { resumeAfter } from '../events/resume-after.ts';
import type { LogChoice, LogFollow, LogPage, LogRecord, LogSearchResponse, WorkerLogsRequest } from '../schema/logs.ts';
import { findDeployment } from '../store/deployments.ts';
import { insertLogIds, listLogs, type StoredLog } from '../store/logs.ts';
import { hasOpenRun } from '../store/runs.ts';
import { spanIdOf } from '../traces/span-ids.ts';
import type { StreamCall } from './events.ts';

const PAGE = 500;
const LAST_WORDS_MS = 1000;
/** How long record ids are kept for deduplication; workers stop retrying much earlier. */
export const LOG_ID_KEPT_MS = 24 * 60 * 60 * 1000;

export type LogService = {
  /** Stores log records of workers, each once. */
  keep(scope: Scope, request: WorkerLogsRequest): Promise<{ accepted: number }>;
  ofExecution(scope: Scope, executionId: string, page: LogPage): Promise<LogSearchResponse>;
  ofDeployment(scope: Scope, name: string, page: LogPage): Promise<LogSearchResponse>;
  followExecution(call: StreamCall, executionId: string, choice: LogFollow): Promise<AsyncGenerator<SseEvent>>;
  followDeployment(call: StreamCall, name: string, choice: LogFollow): Promise<AsyncGenerator<SseEvent>>;
};

export const executionLogs = (workspaceId: string, executionId: string) =>
  `workflow-logs:${workspaceId}:${executionId}`;
const deploymentLogs = (workspaceId: string, name: string) => `workflow-deployment-logs:${workspaceId}:${name}`;

/**
 * Each record is in two streams: of its execution and of its deployment. Records are in order of arrival, which is
 * nearly that of their times; their sequence numbers are the ids to resume from.
 */
export function createLogs(deps: {
  database: Database;
  engine: WorkflowEngine;
  events: Events;
  tokens: PageTokens;
  now: Clock;
}): LogService {
  const { database, engine, events, tokens, now } = deps;
  const { db } = database;

  async function search(stream: string, { order, cursor, limit, ...choice }: LogPage): Promise<LogSearchResponse> {
    const question = ['workflow-logs', stream, JSON.stringify({ order, ...choice })];
    let beyond = parseCursor(tokens, question, cursor) as number | undefined;
    const matches = matcherOf(choice);
    const results: LogRecord[] = [];
    let last: number | undefined;
    for (;;) {
      const page = await listLogs(db, stream, { order, beyond, limit: PAGE });
      for (const { seq, data } of page) {
        if (!matches(data as StoredLog)) continue;
        if (results.length === limit) return { results, next_cursor: tokens.write(question, last) };
        results.push(show(data as StoredLog));
        last = seq;
      }
      beyond = page.at(-1)?.seq;
      if (page.length < PAGE) return { results, next_cursor: null };
    }
  }

  async function* stored(stream: string, after: number): AsyncGenerator<{ seq: number; data: unknown }> {
    for (let beyond = after; ; ) {
      const page = await listLogs(db, stream, { order: 'asc', beyond, limit: PAGE });
      yield* page;
      if (page.length < PAGE) return;
      beyond = page.at(-1)?.seq ?? beyond;
    }
  }

  /** Existing records, then new ones until `ended`; workers get a grace period for their last records. */
  async function* records(
    call: StreamCall,
    stream: string,
    after: number,
    ended: (signal: AbortSignal) => Promise<unknown>,
  ): AsyncGenerator<{ seq: number; data: unknown }> {
    const end = new AbortController();
    const signal = AbortSignal.any([call.signal, end.signal]);
    let last = after;
    // It rejects when the client disconnects, which also ends the tail.
    void ended(signal)
      .then(() => sleep(LAST_WORDS_MS, undefined, { signal }))
      .then(
        () => end.abort(),
        () => undefined,
      );
    try {
      for await (const { seq, data } of events.tail(stream, { after, signal })) {
        last = seq;
        yield { seq, data };
      }
      if (!call.signal.aborted) yield* stored(stream, last);
    } finally {
      end.abort();
    }
  }

  /** Checks the id before the response begins. */
  function follow(
    call: StreamCall,
    stream: string,
    choice: LogFollow,
    ended: 'already' | ((signal: AbortSignal) => Promise<unknown>),
  ): AsyncGenerator<SseEvent> {
    const { last_event_id, ...filter } = choice;
    const given = call.lastEventId ?? last_event_id;
    const after = given === undefined ? 0 : resumeAfter(given);
    const matches = matcherOf(given === undefined ? filter : { ...filter, after: undefined });
    return framed(ended === 'already' ? stored(stream, after) : records(call, stream, after, ended), matches);
  }

  async function mustFind(scope: Scope, executionId: string) {
    const execution = await engine.get(scope.workspace_id, executionId);
    if (!execution) throw workflowErrors.execution_not_found(executionId);
    return execution;
  }

  async function mustFindDeployment(scope: Scope, name: string) {
    if (!(await findDeployment(db, scope.workspace_id, name))) throw workflowErrors.deployment_not_found(name);
  }

  return {
    async keep(scope, { deployment_name, worker_name, records }) {
      const { workspace_id } = scope;
      await mustFindDeployment(scope, deployment_name);
      const known = new Map<string, boolean>();
      for (const { execution_id: id } of records)
        if (id !== undefined && !known.has(id)) known.set(id, (await engine.get(workspace_id, id)) !== undefined);
      if (records.length === 0) return { accepted: 0 };
      return database.transaction(async (tx) => {
        const ids = await insertLogIds(tx, workspace_id, [...new Set(records.map(({ id }) => id))], now());
        const fresh = records.filter(({ id }, index) => ids.has(id) && records.findIndex((r) => r.id === id) === index);
        const streams = new Map<string, StoredLog[]>();
        const add = (stream: string, log: StoredLog) => streams.set(stream, [...(streams.get(stream) ?? []), log]);
        for (const record of fresh) {
          const log = storedOf(record, worker_name);
          add(deploymentLogs(workspace_id, deployment_name), log);
          const { execution_id } = record;
          if (execution_id !== undefined && known.get(execution_id))
            add(executionLogs(workspace_id, execution_id), log);
        }
        // Sorted, so that the batches of two workers cannot deadlock.
        for (const stream of [...streams.keys()].sort())
          await events.append(
            tx,
            stream,
            (streams.get(stream) ?? []).map((data) => ({ type: 'log', data })),
          );
        return { accepted: fresh.length };
      });
    },

    async ofExecution(scope, executionId, page) {
      await mustFind(scope, executionId);
      return search(executionLogs(scope.workspace_id, executionId), page);
    },

    async ofDeployment(scope, name, page) {
      await mustFindDeployment(scope, name);
      return search(deploymentLogs(scope.workspace_id, name), page);
    },

    async followExecution(call, executionId, choice) {
      const { workspace_id } = call.scope;
      const { rootExecutionId } = await mustFind(call.scope, executionId);
      const isOpen = await hasOpenRun(db, workspace_id, { rootExecutionId, executionId });
      const ended = isOpen
        ? (signal: AbortSignal) => engine.waitForEnd(workspace_id, executionId, signal)
        : ('already' as const);
      return follow(call, executionLogs(workspace_id, executionId), choice, ended);
    },

    async followDeployment(call, name, choice) {
      await mustFindDeployment(call.scope, name);
      return follow(call, deploymentLogs(call.scope.workspace_id, name), choice, never);
    },
  };
}

async function* framed(
  source: AsyncIterable<{ seq: number; data: unknown }>,
  matches: (log: StoredLog) => boolean,
): AsyncGenerator<SseEvent> {
  for await (const { seq, data } of source)
    if (matches(data as StoredLog)) yield { id: seq, event: 'log', data: show(data as StoredLog) };
}

/** Logs of a deployment never end. */
const never = () => new Promise<never>(() => undefined);

function matcherOf({ run_id, activity_id, worker_name, workflow_name, after, before }: LogChoice) {
  return (log: StoredLog): boolean =>
    (run_id === undefined || log.run_id === run_id) &&
    (activity_id === undefined || log.activity_id === activity_id) &&
    (worker_name === undefined || log.worker_name === worker_name) &&
    (workflow_name === undefined || log.workflow_name === workflow_name) &&
    (after === undefined || log.timestamp > after) &&
    (before === undefined || log.timestamp < before);
}

function show({ timestamp, trace_id, span_id, severity_text, body, log_attributes }: StoredLog): LogRecord {
  return { timestamp, trace_id, span_id, severity_text, body, log_attributes };
}

function storedOf(record: WorkerLogsRequest['records'][number], worker_name: string): StoredLog {
  const { execution_id, run_id, activity_id, workflow_name, attributes } = record;
  return {
    timestamp: isoOf(record.time_ms),
    trace_id: execution_id === undefined ? '' : toTraceId(execution_id),
    span_id: run_id === undefined ? '' : spanIdOf(run_id, activity_id ?? ''),
    severity_text: record.severity,
    body: record.body,
    log_attributes: {
      ...attributes,
      worker_name,
      ...(execution_id === undefined ? {} : { execution_id }),
      ...(run_id === undefined ? {} : { run_id }),
      ...(activity_id === undefined ? {} : { activity_id }),
      ...(workflow_name === undefined ? {} : { workflow_name }),
    },
    run_id: run_id ?? null,
    activity_id: activity_id ?? null,
    worker_name,
    workflow_name: workflow_name ?? null,
  };
}

const MICROS_FROM = 1e14;
const NANOS_FROM = 1e17;
/** The end of the year 9999: ISO strings of later years have a sign and six digits. */
const LATEST_MICROS = Date.UTC(9999, 11, 31, 23, 59, 59) * 1000;

/** Detects the unit by magnitude: current milliseconds have thirteen digits. */
function isoOf(time: number): string {
  const micros = time >= NANOS_FROM ? time / 1000 : time >= MICROS_FROM ? time : time * 1000;
  const whole = Math.floor(Math.min(micros, LATEST_MICROS));
  const millis = Math.floor(whole / 1000);
  return `${new Date(millis).toISOString().slice(0, -1)}${String(whole - millis * 1000).padStart(3, '0')}Z`;
}

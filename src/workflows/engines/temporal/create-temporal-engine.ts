import type { Report } from '../../../../packages/workflows/src/protocol.ts';
import type { Clock } from '../../../kit/base/clock.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import type { Announce, Events } from '../../../kit/events/index.ts';
import { executionNotRunning, resetEventNotValid, workflowErrors } from '../../errors.ts';
import type { Payloads } from '../../payloads/port.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { readHistory } from '../../store/history.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { findRunRow } from '../../store/runs.ts';
import type { Execution, FindRegistration, Target, WorkflowEngine } from '../port/engine.ts';
import { toExecution, unpackExecution } from '../port/executions.ts';
import { HISTORY_EVENTS_MAX } from '../port/limits.ts';
import { createPayloads } from '../port/run-payloads.ts';
import type { OnEvent } from '../port/run-unit.ts';
import { endTopic, isFinal } from '../port/waiters.ts';
import { createAdopt } from './adopt-run.ts';
import { createCatchUp } from './catch-up.ts';
import { createCluster } from './cluster.ts';
import type { ClusterRuns } from './cluster-runs.ts';
import { connect, ping, type TemporalSettings } from './connect.ts';
import { firstOf } from './convert.ts';
import type { EncodeValue } from './encode-values.ts';
import { CODES, hasCode, rethrowUnreachable } from './grpc.ts';
import { createHearOut } from './hear-out.ts';
import { createListCurrent } from './list-current.ts';
import { createNamespaces, type Namespaces } from './namespaces.ts';
import { readHistoryEvent } from './read-history.ts';
import { createRecordReports } from './record-reports.ts';
import { createRefresh } from './refresh.ts';
import { createRunMirror } from './run-mirror.ts';
import { createRunStates } from './run-states.ts';
import type { SealedValues } from './sealed-values.ts';
import { findByRun, findByTemporalId, findLatest, type TemporalRun } from './store.ts';
import { createSweep } from './sweep.ts';
import { createTemporalClient } from './temporal-client.ts';

export type TemporalEngine = {
  engine: WorkflowEngine;
  namespaces: Namespaces;
  /** Reports of official workers about runs. */
  cluster: ClusterRuns;
  /** Reports of our own workers, in order. */
  recordReports(workspaceId: string, reports: Report[]): Promise<void>;
  /** Throws when the cluster does not respond. */
  ping(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Updates all open runs from Temporal now. */
  sweep(): Promise<void>;
};

/** How long to wait for an end that a worker has announced. */
const ANNOUNCED_MS = 60_000;

/** Runs executions on a Temporal cluster; see docs/temporal.md. */
export function createTemporalEngine(options: {
  settings: TemporalSettings;
  database: Database;
  events: Events;
  now: Clock;
  log: Logger;
  payloads: Payloads;
  encode: EncodeValue;
  sealed: SealedValues;
  /** Whether the workers of a run are the official SDK's, which report what they do by HTTP. */
  isOfficial: (row: RunRow) => Promise<boolean>;
  findRegistration: FindRegistration;
  onEvent?: OnEvent | undefined;
  announce?: Announce | undefined;
  organizationOf: (workspaceId: string) => Promise<string | undefined>;
}): TemporalEngine {
  const { settings, database, now, log } = options;
  const { db } = database;
  const connection = connect(settings);
  const namespaces = createNamespaces(connection, settings.namespace);
  const cluster = createCluster({ ...options, connection, namespaces });
  const client = createTemporalClient({ ...options, connection, namespaces });
  const payloads = createPayloads(options.payloads);
  const mirror = createRunMirror({ ...options, payloads });
  const catchUp = createCatchUp({ ...options, cluster, mirror, payloads });
  const hearOut = createHearOut(options);
  const { ensureStarted, refresh, follow } = createRefresh({ ...options, cluster, mirror, payloads, catchUp, hearOut });
  const adopt = createAdopt({ ...options, cluster, mirror, refresh, payloads });
  const recordReports = createRecordReports({ adopt, mirror, payloads, onEnded });
  const sweep = createSweep({ database, cluster, ensureStarted, refresh, catchUp, now, log });
  const states = createRunStates({ cluster, now });
  const stopping = new AbortController();
  const announced = new Map<string, Promise<unknown>>();

  /** A worker announces the end of a run, which Temporal will record soon. */
  function onEnded(run: TemporalRun): void {
    const { run_id } = run.row;
    if (announced.has(run_id) || stopping.signal.aborted) return;
    const until = AbortSignal.any([stopping.signal, AbortSignal.timeout(ANNOUNCED_MS)]);
    const following = follow(run, until)
      .catch((error: unknown) => {
        if (!until.aborted) log.warn({ err: error, run_id }, 'the end of a run on Temporal was not recorded yet');
      })
      .finally(() => announced.delete(run_id));
    announced.set(run_id, following);
  }

  const unpackResult = (row: RunRow) => unpackExecution(row, payloads);

  /** The run's current state, or the mirrored one when Temporal is unreachable. */
  async function readCurrent(found: TemporalRun): Promise<Execution> {
    if (hasEnded(found.row.status) || found.temporalRunId === null) return unpackResult(found.row);
    try {
      const { isOpen, isRetryingTurn } = await states.read(found.row, found.temporalRunId);
      if (!isOpen) return unpackResult((await refresh(found)).row);
      return { ...(await unpackResult(found.row)), ...(isRetryingTurn ? { status: 'RETRYING_AFTER_ERROR' } : {}) };
    } catch (error) {
      if (hasCode(error, CODES.notFound)) return unpackResult((await refresh(found)).row);
      log.warn({ err: error }, 'a run could not be read from Temporal');
      return unpackResult(found.row);
    }
  }

  /** A run that has continued as new meanwhile has a successor, which is the latest now. */
  async function readLatest(workspaceId: string, executionId: string): Promise<Execution | undefined> {
    for (let before = ''; ; ) {
      const found = await findLatest(db, workspaceId, executionId);
      if (!found) return undefined;
      const execution = await readCurrent(found);
      if (execution.status !== 'CONTINUED_AS_NEW' || execution.runId === before) return execution;
      before = execution.runId;
    }
  }

  /** Updates the open run of an execution id, through all its continuations, so that an ended one frees the id. */
  async function refreshHolder(workspaceId: string, executionId: string): Promise<void> {
    for (let before = ''; ; ) {
      const holder = await findLatest(db, workspaceId, executionId);
      if (!holder || hasEnded(holder.row.status) || holder.row.run_id === before) return;
      before = holder.row.run_id;
      await refresh(holder).catch(rethrowUnreachable);
    }
  }

  async function findOpen({ workspaceId, executionId }: Target): Promise<TemporalRun & { temporalRunId: string }> {
    const found = await findLatest(db, workspaceId, executionId);
    if (!found) {
      const other = await mirror.findAnyLatest(workspaceId, executionId);
      throw other
        ? workflowErrors.execution_on_other_engine(executionId, 'the embedded engine')
        : workflowErrors.execution_not_found(executionId);
    }
    if (hasEnded(found.row.status)) throw executionNotRunning(executionId, found.row.status);
    const { temporalRunId } = await ensureStarted(found).catch(rethrowUnreachable);
    if (temporalRunId === null) throw workflowErrors.execution_not_found(executionId);
    return { row: found.row, temporalRunId };
  }

  /** A "not found" from Temporal means that the run has ended; records the end and throws a 409. */
  async function refuseEnded(run: TemporalRun, error: unknown): Promise<never> {
    if (!hasCode(error, CODES.notFound)) return rethrowUnreachable(error);
    const { row } = await refresh(run);
    throw executionNotRunning(row.execution_id, row.status);
  }

  const engine: WorkflowEngine = {
    async start({ within, executionId, parent: _parent, ...request }) {
      const { workspaceId } = request;
      const input = await payloads.pack(workspaceId, request.input);
      const runId = uuidv7(now());
      const started = { executionId: executionId ?? uuidv7(now()), runId };
      const isNamedByCaller = executionId !== undefined;
      if (isNamedByCaller) await refreshHolder(workspaceId, executionId);
      const row = await (within
        ? mirror.committer.commitAlone(
            (tx) => within(tx, started),
            (unit) => mirror.begin(unit, { ...request, ...started, input, isNamedByCaller }, null),
          )
        : mirror.committer.commit((unit) =>
            mirror.begin(unit, { ...request, ...started, input, isNamedByCaller }, null),
          ));
      await startNow({ row, temporalRunId: null });
      return toExecution(row);
    },
    async get(workspaceId, executionId, runId) {
      if (runId === undefined) {
        const latest = await readLatest(workspaceId, executionId);
        if (latest) return latest;
        const other = await mirror.findAnyLatest(workspaceId, executionId);
        return other && unpackResult(other);
      }
      const found = await findByRun(db, workspaceId, runId);
      if (found) return found.row.execution_id === executionId ? readCurrent(found) : undefined;
      const other = await findRunRow(db, workspaceId, runId);
      return other?.execution_id === executionId ? unpackResult(other) : undefined;
    },
    async getByRun(workspaceId, runId) {
      const found = await findByRun(db, workspaceId, runId);
      if (found) return readCurrent(found);
      const other = await findRunRow(db, workspaceId, runId);
      return other && unpackResult(other);
    },
    async waitForEnd(workspaceId, executionId, signal) {
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal, stopping.signal]);
      const look = async () => {
        const found = await findLatest(db, workspaceId, executionId);
        if (!found) throw workflowErrors.execution_not_found(executionId);
        return isFinal(found.row) ? found.row : undefined;
      };
      const ended = mirror.ends.wait(endTopic(workspaceId, executionId), look, signal);
      void followChain({ workspaceId, executionId }, either);
      try {
        return await unpackResult(await ended);
      } finally {
        over.abort();
      }
    },
    list: createListCurrent({ database, states, refresh, log }),
    async history(workspaceId, runId, after, limit) {
      const found = await findByRun(db, workspaceId, runId);
      if (!found) {
        const other = await findRunRow(db, workspaceId, runId);
        return other ? payloads.unpackEvents(workspaceId, await readHistory(db, runId, after, limit)) : [];
      }
      return (await readEvents(found, after, limit)).map(readHistoryEvent);
    },
    async signal(target, name, input) {
      const run = await findOpen(target);
      await cluster.signal(run.row, name, input, uuidv7(now())).catch((error) => refuseEnded(run, error));
    },
    async query({ workspaceId, executionId }, name, input, signal) {
      const found = await findLatest(db, workspaceId, executionId);
      if (!found) throw workflowErrors.execution_not_found(executionId);
      const { temporalRunId } = await ensureStarted(found).catch(rethrowUnreachable);
      if (temporalRunId === null) throw workflowErrors.execution_not_found(executionId);
      return client.query({ row: found.row, temporalRunId }, name, input, signal);
    },
    async update(target, name, input, signal) {
      const run = await findOpen(target);
      const answer = await client.update(run, uuidv7(now()), name, input, signal);
      if (answer) return answer.result;
      const { row } = await refresh(run);
      throw workflowErrors.handler_failed('update', name, `the execution ended before it, as ${row.status}`);
    },
    async cancel(target, reason) {
      const run = await findOpen(target);
      await cluster.cancel(run.row, uuidv7(now()), reason).catch((error) => refuseEnded(run, error));
    },
    async terminate(target, reason) {
      const run = await findOpen(target);
      await cluster.terminate(run.row, run.temporalRunId, reason).catch((error) => refuseEnded(run, error));
      await refresh(run);
    },
    async reset(target, { eventId, reason, excludeSignals, excludeUpdates }) {
      const found = await findLatest(db, target.workspaceId, target.executionId);
      if (!found) throw workflowErrors.execution_not_found(target.executionId);
      const { row, temporalRunId } = await ensureStarted(found).catch(rethrowUnreachable);
      if (temporalRunId === null) throw workflowErrors.execution_not_found(target.executionId);
      const history = await readEvents(found, 0, HISTORY_EVENTS_MAX);
      const events = history.map(readHistoryEvent);
      const ends = events.flatMap(({ type, id }) => (type === 'WORKFLOW_TASK_COMPLETED' ? [id] : []));
      if (!ends.includes(eventId)) throw resetEventNotValid(eventId, ends);
      const words = reason ?? `Reset to event ${eventId}`;
      const requestId = uuidv7(now());
      const newRunId = await cluster
        .reset(row, temporalRunId, { eventId, reason: words, requestId, excludeSignals, excludeUpdates })
        .catch(rethrowUnreachable);
      const input = firstOf(history[0]?.workflowExecutionStartedEventAttributes?.input);
      const packed = await payloads.pack(row.workspace_id, input);
      await mirror.recordReset(row, newRunId, packed, { status: 'TERMINATED', timeMs: now(), reason: words });
    },
  };

  /** The start is durable in our database; it is retried until Temporal responds. */
  async function startNow(run: TemporalRun): Promise<void> {
    await ensureStarted(run).catch((error: unknown) => {
      if (!hasCode(error, CODES.unavailable, CODES.deadlineExceeded)) return rethrowUnreachable(error);
      log.warn({ err: error, run_id: run.row.run_id }, 'Temporal is unreachable; the execution starts when it is back');
    });
  }

  async function readEvents({ row, temporalRunId }: TemporalRun, after: number, limit: number) {
    if (temporalRunId === null) return [];
    const place = { workspaceId: row.workspace_id, executionId: row.execution_id, temporalRunId };
    return cluster.readHistory(place, after, limit);
  }

  /** Follows an execution through all its continuations until it has ended. Recording an end notifies the waiters. */
  async function followChain({ workspaceId, executionId }: Target, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const found = await findLatest(db, workspaceId, executionId).catch(() => undefined);
      if (!found || isFinal(found.row)) return;
      try {
        const run = found.temporalRunId === null ? await ensureStarted(found) : found;
        await follow(run, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'the end of an execution could not be read from Temporal');
        await new Promise((resolve) => setTimeout(resolve, 1000).unref());
      }
    }
  }

  const clusterRuns: ClusterRuns = {
    find: async (handle, workspaceId, id) => (await findByTemporalId(handle, workspaceId, id))?.row,
    async began({ workspaceId, executionId, runId }) {
      const known = await findByTemporalId(db, workspaceId, runId);
      if (!(await adopt(workspaceId, executionId, runId))) throw workflowErrors.execution_not_found(executionId);
      return !known;
    },
    async catchUp({ workspaceId, executionId, runId }, endedSteps) {
      const run = await findByTemporalId(db, workspaceId, runId);
      if (run?.row.execution_id === executionId) await catchUp.beforeEvents(run, endedSteps);
    },
    async ended({ workspaceId, executionId, runId }) {
      const run = await adopt(workspaceId, executionId, runId);
      if (!run) throw workflowErrors.execution_not_found(executionId);
      onEnded(run);
    },
  };

  return {
    engine,
    namespaces,
    cluster: clusterRuns,
    recordReports,
    ping: () => ping(connection),
    async start() {
      sweep.start();
    },
    async stop() {
      stopping.abort();
      await sweep.stop();
      await Promise.all(announced.values());
      await mirror.committer.idle();
      await connection.close();
    },
    sweep: sweep.round,
  };
}

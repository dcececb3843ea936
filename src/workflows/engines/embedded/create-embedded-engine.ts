import type { Clock } from '../../../kit/base/clock.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import type { Logger } from '../../../kit/base/log.ts';
import { SlotMap } from '../../../kit/base/slot-map.ts';
import { afterCommit, type Database, type Tx } from '../../../kit/db/index.ts';
import type { Announce, Events } from '../../../kit/events/index.ts';
import { executionNotRunning, workflowErrors } from '../../errors.ts';
import { type Payloads, plainPayloads } from '../../payloads/port.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { readHistory } from '../../store/history.ts';
import { createRunStore } from '../../store/run-store.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { findRunRow } from '../../store/runs.ts';
import { createCommitter } from '../port/committer.ts';
import type { FindRegistration, Target, WorkflowEngine } from '../port/engine.ts';
import { listExecutions, toExecution, unpackExecution } from '../port/executions.ts';
import { createMicros } from '../port/micros.ts';
import { createPayloads } from '../port/run-payloads.ts';
import type { OnEvent } from '../port/run-unit.ts';
import { createWaiters, endTopic, isFinal, updateTopic } from '../port/waiters.ts';
import { dispatch } from './dispatch.ts';
import { createDuePoller } from './due-poller.ts';
import { endOversizedRuns, endRun, requestCancel } from './end-run.ts';
import { setRunDue } from './leases.ts';
import { createQueries } from './queries.ts';
import { resetRun } from './reset.ts';
import { createSessions } from './sessions.ts';
import { isSetAside, takeUp } from './set-aside.ts';
import { signalRun } from './signals.ts';
import { startRun } from './start-run.ts';
import { countQuarantined, listQuarantined } from './store/quarantine.ts';
import { deleteUpdate, findUpdate } from './store/updates.ts';
import { createWorkStore } from './store/work-store.ts';
import type { Outcome } from './tables.ts';
import { admitUpdate } from './updates.ts';
import { type OnSetAside, type RunCache, type RunState, WorkUnit } from './work-unit.ts';
import { createWorkerPort, type WorkerPort } from './worker-port.ts';

export type EngineOptions = {
  database: Database;
  events: Events;
  now: Clock;
  log: Logger;
  payloads?: Payloads;
  findRegistration: FindRegistration;
  onEvent?: OnEvent | undefined;
  announce?: Announce | undefined;
  /** Called in the transaction that sets an execution aside. */
  onSetAside?: OnSetAside | undefined;
};

export type EmbeddedEngine = {
  engine: WorkflowEngine;
  workers: WorkerPort;
  /** Executions that several workers, or servers, did not survive. */
  quarantine: Quarantine;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Handles what is due now and returns how much there was; for tests that hold the clock. */
  runDue(): Promise<number>;
  /** Resolves when nothing is being written. */
  idle(): Promise<void>;
};

export type Quarantine = {
  list(workspaceId?: string): Promise<Quarantined[]>;
  count(): Promise<number>;
  /** Tries it again. `within` runs in the same transaction, before it. */
  retry(target: Target, within: (tx: Tx) => Promise<void>): Promise<void>;
};

export type Quarantined = Target & {
  runId: string;
  organizationId: string;
  workflowName: string;
  deaths: number;
  reason: string;
  since: string;
};

/** What is due so soon waits for no other change to be synced with. */
const PROMPT_MS = 1000;

/** Runs executions in our own database; see ARCHITECTURE.md in this folder. */
export function createEmbeddedEngine(options: EngineOptions): EmbeddedEngine {
  const { database, events, now, log, findRegistration, onEvent, announce } = options;
  const onSetAside: OnSetAside = async (tx, run) => {
    await options.onSetAside?.(tx, run);
    const { execution_id, workspace_id, quarantine_reason } = run;
    afterCommit(tx, () => log.error({ execution_id, workspace_id, reason: quarantine_reason }, SET_ASIDE));
  };
  const { db } = database;
  const payloads = createPayloads(options.payloads ?? plainPayloads);
  const store = createRunStore(database.kind);
  const sessions = createSessions(now);
  const work = createWorkStore(database.kind);
  const cache: RunCache = new SlotMap();
  const ends = createWaiters<RunRow>(database);
  const updates = createWaiters<Outcome>(database);
  const queries = createQueries({ database, sessions, now });
  const nextMicros = createMicros(now);

  const committer = createCommitter(
    database,
    (tx) => new WorkUnit({ tx, store, work, events, cache, clock: now, nextMicros, onEvent, announce, onSetAside }),
    beforeFlush,
  );

  async function beforeFlush(unit: WorkUnit): Promise<void> {
    await endOversizedRuns(unit);
    await dispatch(unit, sessions, database);
    const sleeps = new Map<string, number>();
    for (const [runId, , , dueMs] of unit.timers()) sleeps.set(runId, Math.max(dueMs, sleeps.get(runId) ?? 0));
    for (const { row } of unit.runs()) setRunDue(row, unit.nowMs, sleeps.get(row.run_id));
    // The poller is told of what is due when it is durable.
    const isSoon = (dueMs: number | null) => dueMs !== null && dueMs < unit.nowMs + PROMPT_MS;
    if (unit.timers().some((timer) => isSoon(timer[3])) || unit.steps().some((step) => isSoon(step.due_ms)))
      unit.isOffering = true;
    // Copied now: when the hook runs, later work may have changed the same rows.
    const changes = unit.runs().map(({ row }) => ({ dueMs: row.due_ms, final: isFinal(row) ? { ...row } : undefined }));
    unit.afterCommit(() => notify(unit, changes));
  }

  function notify(unit: WorkUnit, changes: { dueMs: number | null; final: RunRow | undefined }[]): void {
    for (const { dueMs, final } of changes) {
      if (dueMs !== null) duePoller.expect(dueMs);
      if (final) ends.settle(endTopic(final.workspace_id, final.execution_id), final);
    }
    for (const step of unit.steps()) if (step.due_ms !== null) duePoller.expect(step.due_ms);
    for (const [, , , dueMs] of unit.timers()) duePoller.expect(dueMs);
    for (const [updateId, outcome] of unit.updatesDone) updates.settle(updateTopic(updateId), outcome);
  }

  const sweep = () => workers.returnUncollected();
  const duePoller = createDuePoller({ database, committer, sessions, onSetAside, now, log, sweep });
  const workers = createWorkerPort({ database, committer, sessions, payloads, queries, findRegistration });

  async function find(workspaceId: string, executionId: string, runId?: string): Promise<RunRow | undefined> {
    if (runId === undefined) return store.readLatest(db, workspaceId, executionId);
    const row = await findRunRow(db, workspaceId, runId);
    return row?.execution_id === executionId ? row : undefined;
  }

  const unpackResult = (row: RunRow) => unpackExecution(row, payloads);

  const engine: WorkflowEngine = {
    async start({ within, executionId, parent: _parent, ...request }) {
      const input = await payloads.pack(request.workspaceId, request.input);
      const runId = uuidv7(now());
      // UUIDv7 sorts by time, so rows written together are stored together.
      const started = { executionId: executionId ?? uuidv7(now()), runId };
      const isNamedByCaller = executionId !== undefined;
      const work = async (unit: WorkUnit) =>
        toExecution((await startRun(unit, { ...request, ...started, input, isNamedByCaller })).row);
      return within ? committer.commitAlone((tx) => within(tx, started), work) : committer.commit(work);
    },
    async get(workspaceId, executionId, runId) {
      const row = await find(workspaceId, executionId, runId);
      return row && unpackResult(row);
    },
    async getByRun(workspaceId, runId) {
      const row = await findRunRow(db, workspaceId, runId);
      return row && unpackResult(row);
    },
    async waitForEnd(workspaceId, executionId, signal, isNew) {
      const look = async () => {
        const row = await find(workspaceId, executionId);
        if (!row) throw workflowErrors.execution_not_found(executionId);
        return isFinal(row) ? row : undefined;
      };
      return unpackResult(await ends.wait(endTopic(workspaceId, executionId), look, signal, isNew));
    },
    list: (workspaceId, filter) => listExecutions(db, workspaceId, filter),
    async history(workspaceId, runId, after, limit) {
      const row = await findRunRow(db, workspaceId, runId);
      return row ? payloads.unpackEvents(workspaceId, await readHistory(db, runId, after, limit)) : [];
    },
    async signal({ workspaceId, executionId }, name, input) {
      const packed = await payloads.pack(workspaceId, input);
      await committer.commit(async (unit) =>
        signalRun(unit, await findOpen(unit, workspaceId, executionId), name, packed),
      );
    },
    async query({ workspaceId, executionId }, name, input, signal) {
      const row = await find(workspaceId, executionId);
      if (!row) throw workflowErrors.execution_not_found(executionId);
      refuseSetAside(row);
      return queries.query(row, name, input, signal);
    },
    async update({ workspaceId, executionId }, name, input, signal) {
      const packed = await payloads.pack(workspaceId, input);
      const updateId = uuidv7(now());
      await committer.commit(async (unit) => {
        const run = await findOpen(unit, workspaceId, executionId);
        refuseSetAside(run.row);
        await admitUpdate(unit, run, { updateId, name, input: packed });
      });
      const outcome = await updates.wait(updateTopic(updateId), () => findOutcome(updateId), signal);
      await deleteUpdate(db, updateId);
      if ('failure' in outcome) throw workflowErrors.handler_failed('update', name, outcome.failure.message);
      return payloads.unpack(workspaceId, outcome.result);
    },
    async cancel({ workspaceId, executionId }, reason) {
      await committer.commit(async (unit) =>
        requestCancel(unit, await findOpen(unit, workspaceId, executionId), reason),
      );
    },
    async terminate({ workspaceId, executionId }, reason) {
      await committer.commit(async (unit) =>
        endRun(unit, await findOpen(unit, workspaceId, executionId), { status: 'TERMINATED', reason }),
      );
    },
    async reset(target, { eventId, reason, excludeSignals, excludeUpdates }) {
      await committer.commit((unit) => resetRun(unit, target, { eventId, reason, excludeSignals, excludeUpdates }));
    },
  };

  async function findOutcome(updateId: string): Promise<Outcome | undefined> {
    const row = await findUpdate(db, updateId);
    if (!row?.outcome && row && hasEnded(row.status))
      return { failure: { message: `the execution ended before it, as ${row.status}`, type: 'ExecutionEnded' } };
    return row?.outcome ?? undefined;
  }

  const quarantine: Quarantine = {
    async list(workspaceId) {
      const rows = await listQuarantined(db, workspaceId);
      return rows.map((row) => ({
        ...{ runId: row.run_id, executionId: row.execution_id, workflowName: row.workflow_name },
        ...{ workspaceId: row.workspace_id, organizationId: row.organization_id, deaths: row.deaths },
        ...{ reason: row.quarantine_reason ?? '', since: row.quarantined_at ?? '' },
      }));
    },
    count: () => countQuarantined(db),
    async retry({ workspaceId, executionId }, within) {
      await committer.commitAlone(within, async (unit) => {
        const run = await findOpen(unit, workspaceId, executionId);
        if (!isSetAside(run)) throw workflowErrors.execution_not_quarantined(executionId);
        await takeUp(unit, run);
      });
    },
  };

  return {
    engine,
    workers,
    quarantine,
    async start() {
      duePoller.start();
    },
    async stop() {
      workers.stop();
      await duePoller.stop();
      await committer.idle();
    },
    runDue: duePoller.poll,
    idle: committer.idle,
  };
}

const SET_ASIDE =
  'An execution is set aside: what handled it was lost three times. Mend its code and have it tried again, or terminate it.';

/** No worker would answer. */
function refuseSetAside({ execution_id, quarantined_at, quarantine_reason }: RunRow): void {
  if (quarantined_at !== null) throw workflowErrors.execution_quarantined(execution_id, quarantine_reason ?? '');
}

/** The open run of an execution; one of another workspace is reported as missing. */
async function findOpen(unit: WorkUnit, workspaceId: string, executionId: string): Promise<RunState> {
  const run = await unit.findLatest(workspaceId, executionId);
  if (!run) throw workflowErrors.execution_not_found(executionId);
  if (hasEnded(run.row.status)) throw executionNotRunning(executionId, run.row.status);
  if (run.row.last_event_id === 0) throw workflowErrors.execution_on_other_engine(executionId, 'Temporal');
  return run;
}

import type { Json } from '../../../../packages/workflows/src/protocol.ts';
import type { Clock } from '../../../kit/base/clock.ts';
import type { Database } from '../../../kit/db/index.ts';
import type { Announce, Events } from '../../../kit/events/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { createRunStore } from '../../store/run-store.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { createCommitter } from '../port/committer.ts';
import { timeoutFailure } from '../port/executions.ts';
import { createMicros } from '../port/micros.ts';
import { freshState, type NewRun, newRunRow, takeName } from '../port/new-run.ts';
import { continuedAsNew, executionEnded, executionStarted } from '../port/project-events.ts';
import { beforePacking, type Payloads } from '../port/run-payloads.ts';
import { type OnEvent, type RunState, RunUnit } from '../port/run-unit.ts';
import { searchKeysOf } from '../port/search-keys.ts';
import { createWaiters, endTopic, isFinal } from '../port/waiters.ts';
import type { RunClose } from './read-close.ts';
import { closeTemporalRun, insertTemporalRun } from './store.ts';

export type RunMirror = ReturnType<typeof createRunMirror>;

/**
 * Mirrors Temporal's runs in our database, so that lists, filters and event streams are the same on both engines.
 * Temporal is the source of truth; every operation is idempotent.
 */
export function createRunMirror(options: {
  database: Database;
  events: Events;
  now: Clock;
  payloads: Payloads;
  onEvent?: OnEvent | undefined;
  announce?: Announce | undefined;
}) {
  const { database, events, now, payloads, onEvent, announce } = options;
  const store = createRunStore(database.kind);
  const nextMicros = createMicros(now);
  const ends = createWaiters<RunRow>(database);
  const committer = createCommitter(
    database,
    (tx) => new RunUnit({ tx, store, events, clock: now, nextMicros, onEvent, announce }),
    beforeFlush,
  );

  function beforeFlush(unit: RunUnit): void {
    const final = unit.runs().flatMap(({ row }) => (isFinal(row) ? [{ ...row }] : []));
    unit.afterCommit(() => {
      for (const row of final) ends.settle(endTopic(row.workspace_id, row.execution_id), row);
    });
  }

  async function addRun(unit: RunUnit, row: RunRow, input: Json, temporalRunId: string | null): Promise<RunState> {
    // Temporal handles deadlines, and the embedded engine must not pick this run up.
    const run = unit.addRun({ ...row, deadline_ms: null, due_ms: null, ready_ms: null });
    unit.publish(run, executionStarted(row, input, 1));
    for (const [key, value] of searchKeysOf(row.search_key_paths, beforePacking(input)))
      unit.insertSearchKey(run, key, value);
    const { run_id, workspace_id } = row;
    await insertTemporalRun(unit.tx, {
      run_id,
      workspace_id,
      temporal_run_id: temporalRunId,
      input: temporalRunId === null ? input : null,
    });
    return run;
  }

  /** Adds the run that continues or resets `old`. */
  async function addSuccessor(unit: RunUnit, old: RunState, next: Partial<RunRow> & { run_id: string }, input: Json) {
    old.row.is_latest = false;
    const row = { ...old.row, ...freshState(unit), version: 1, has_children: false, ...next, is_latest: true };
    return addRun(unit, row, input, next.run_id);
  }

  async function close(unit: RunUnit, run: RunState, end: RunClose): Promise<void> {
    const { row } = run;
    row.status = end.status;
    row.ended_at = new Date(end.timeMs).toISOString().replace('Z', '000Z');
    row.result = 'result' in end ? end.result : null;
    row.failure = end.status === 'TIMED_OUT' ? timeoutFailure(row) : 'failure' in end ? end.failure : null;
    unit.changed(run);
    await closeTemporalRun(unit.tx, row.run_id);
    if (end.status !== 'CONTINUED_AS_NEW') {
      unit.publish(run, executionEnded(row, 'reason' in end ? end.reason : undefined));
      return;
    }
    const { newRunId, input, workflowName } = end;
    unit.publish(run, continuedAsNew(row, newRunId, workflowName, input));
    if (await unit.findRun(row.workspace_id, newRunId)) return;
    await addSuccessor(
      unit,
      run,
      { run_id: newRunId, workflow_name: workflowName, continued_run_id: row.run_id },
      input,
    );
  }

  return {
    committer,
    ends,

    /** Also finds runs of the embedded engine, from before the server used Temporal. */
    findAnyLatest: (workspaceId: string, executionId: string) =>
      store.readLatest(database.db, workspaceId, executionId),

    /** Adds a run that a client, a schedule or a parent starts. */
    async begin(unit: RunUnit, request: NewRun, temporalRunId: string | null): Promise<RunRow> {
      if (request.isNamedByCaller) await takeName(unit, request.workspaceId, request.executionId);
      return (await addRun(unit, newRunRow(unit, request), request.input, temporalRunId)).row;
    },

    /** Does nothing if the end is recorded already. */
    async recordEnd(row: RunRow, given: RunClose): Promise<void> {
      const { workspace_id: workspaceId, run_id } = row;
      const end = { ...given };
      if ('result' in end) end.result = await payloads.pack(workspaceId, end.result);
      if ('input' in end) end.input = await payloads.pack(workspaceId, end.input);
      await committer.commit(async (unit) => {
        const run = await unit.findRun(workspaceId, run_id);
        if (run && !hasEnded(run.row.status)) await close(unit, run, end);
      });
    },

    /** Ends the old run and adds the new one. */
    async recordReset(row: RunRow, newRunId: string, input: Json, end: RunClose): Promise<void> {
      await committer.commit(async (unit) => {
        if (await unit.findRun(row.workspace_id, newRunId)) return;
        const old = await unit.findRun(row.workspace_id, row.run_id);
        if (!old) return;
        await addSuccessor(unit, old, { run_id: newRunId }, input);
        if (!hasEnded(old.row.status)) await close(unit, old, end);
      });
    },
  };
}

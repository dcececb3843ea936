import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import { systemClock } from '../../../kit/base/clock.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import type { Database } from '../../../kit/db/index.ts';
import { createEvents } from '../../../kit/events/index.ts';
import { plainPayloads } from '../../payloads/port.ts';
import { createPayloads } from '../port/run-payloads.ts';
import { startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { createHearOut } from './hear-out.ts';
import { createRecordReports } from './record-reports.ts';
import { createRunMirror } from './run-mirror.ts';
import { findByTemporalId } from './store.ts';

/** One server's part in what is known of runs on Temporal. */
function openServer(database: Database) {
  const events = createEvents({ database, now: systemClock });
  const payloads = createPayloads(plainPayloads);
  const mirror = createRunMirror({ database, events, now: systemClock, payloads });
  const adopt = (workspaceId: string, _: string, id: string) => findByTemporalId(database.db, workspaceId, id);
  return { mirror, events, take: createRecordReports({ adopt, mirror, payloads, onEnded: () => undefined }) };
}

onEachDatabase('what workers on Temporal say', (test) => {
  let database: Database;
  let here: ReturnType<typeof openServer>;
  let there: ReturnType<typeof openServer>;
  beforeAll(async () => {
    database = await test.open();
    here = openServer(database);
    there = openServer(test.kind === 'sqlite' ? database : await test.open());
  });

  async function begin() {
    const runId = uuidv7(systemClock());
    const { parent: _, ...told } = startOf('told');
    const run = { ...told, executionId: runId, runId, isNamedByCaller: false };
    const row = await here.mirror.committer.commit((unit) => here.mirror.begin(unit, run, `${runId}-there`));
    const types = async () => {
      const stored = await here.events.list(database.db, `workflow:${WORKSPACE}:${runId}`, { after: 0, limit: 100 });
      return stored.map(({ type }) => type);
    };
    const report = { execution_id: runId, run_id: `${runId}-there`, key: 's1.started', seq: 1, name: 'a' } as const;
    return { row, types, report: { ...report, type: 'step_started' as const, input: [] } };
  }
  const COMPLETED = { status: 'COMPLETED', timeMs: 1_800_000_000_000, result: null } as const;

  it('is told once, whichever servers hear it, and an end that all of them find too', async () => {
    const { row, types, report } = await begin();
    await Promise.all([here, there, here, there].map(({ take }) => take(WORKSPACE, [report])));
    await Promise.all([here, there, here, there].map(({ mirror }) => mirror.recordEnd(row, COMPLETED)));
    expect(await types()).toEqual([
      'WORKFLOW_EXECUTION_STARTED',
      'ACTIVITY_TASK_STARTED',
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
  });

  it('is heard out before an end that Temporal shows earlier, unless its worker is gone or had no part in it', async () => {
    let nowMs = systemClock();
    const hearOut = createHearOut({ database, isOfficial: async () => false, now: () => nowMs });
    const { row, types, report } = await begin();
    const run = { row, temporalRunId: report.run_id };
    const ended = { ...report, key: 'ended', type: 'ended' as const };
    const heard = hearOut(run, { ...COMPLETED, timeMs: nowMs }).then(() => here.mirror.recordEnd(row, COMPLETED));
    await there.take(WORKSPACE, [report]);
    expect(await types()).not.toContain('WORKFLOW_EXECUTION_COMPLETED');
    await there.take(WORKSPACE, [{ ...report, key: 's2.started', seq: 2 }, ended]);
    await heard;
    const STARTED = 'ACTIVITY_TASK_STARTED';
    expect(await types()).toEqual(['WORKFLOW_EXECUTION_STARTED', STARTED, STARTED, 'WORKFLOW_EXECUTION_COMPLETED']);

    const { row: silent } = await begin();
    await hearOut({ row: silent, temporalRunId: 'x' }, { status: 'TERMINATED', timeMs: nowMs });
    const gone = hearOut({ row: silent, temporalRunId: 'x' }, { ...COMPLETED, timeMs: nowMs });
    nowMs += 60_000;
    await gone;
  });

  it.runIf(test.kind === 'postgres')('is not told after the end that another server is just writing', async () => {
    const { row, types, report } = await begin();
    const blocked = async () => {
      const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
      return rows[0]?.waiting;
    };
    const watcher = await test.open();
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: untilBoth, resolve: letGo } = Promise.withResolvers<void>();
    // Somebody holds the stream, so that both wait for it, the end first.
    const holding = watcher.transaction(async (tx) => {
      await sql`select head from event_streams where stream = ${`workflow:${WORKSPACE}:${row.execution_id}`} for update`.execute(
        tx,
      );
      held();
      await untilBoth;
    });
    await isHeld;
    const ending = there.mirror.recordEnd(row, COMPLETED);
    await expect.poll(blocked).toBe(1);
    const taking = here.take(WORKSPACE, [report]);
    await expect.poll(blocked).toBe(2);
    letGo();
    await Promise.all([holding, ending, taking]);
    expect(await types()).toEqual(['WORKFLOW_EXECUTION_STARTED', 'WORKFLOW_EXECUTION_COMPLETED']);
  });
});

import { type Database, type Db, rowWriter, type Tx } from '../../../../kit/db/index.ts';
import { encodeColumn, inJsonList, numberMarks, run } from '../../../store/run-store.ts';
import type { RunRow } from '../../../store/run-tables.ts';
import type { StepRow } from '../tables.ts';

const STEP_COLUMNS = [
  'run_id',
  'scheduled_event_id',
  'workspace_id',
  'deployment_name',
  'seq',
  'name',
  'input',
  'options',
  'state',
  'attempt',
  'lease_seq',
  'lost_leases',
  'lease_worker',
  'lease_until_ms',
  'scheduled_ms',
  'started_ms',
  'heartbeat_ms',
  'last_heartbeat',
  'last_failure',
  'cancel_requested',
  'ready_ms',
  'due_ms',
] as const satisfies (keyof StepRow)[];

const STEP_CHANGING = STEP_COLUMNS.slice(STEP_COLUMNS.indexOf('state'));

/** For PostgreSQL, where each statement is a round trip. */
const DELETE_STEPS_TEXT = `delete from workflow_steps as step
  using json_to_recordset($1::json) as ended(run_id text, scheduled_event_id bigint)
  where step.run_id = ended.run_id and step.scheduled_event_id = ended.scheduled_event_id`;

export type WorkStore = ReturnType<typeof createWorkStore>;

/** The hot-path statements on history, steps and timers, with their SQL text built once. */
export function createWorkStore(kind: Database['kind']) {
  const marks = numberMarks(kind);
  const listed = inJsonList(kind);
  const insertHistory = rowWriter(kind, 'workflow_history', ['run_id', 'first_event_id', 'last_event_id', 'events']);
  const insertSteps = rowWriter(kind, 'workflow_steps', STEP_COLUMNS);
  const insertTimers = rowWriter(kind, 'workflow_timers', ['run_id', 'seq', 'started_event_id', 'due_ms']);
  const lock = kind === 'postgres' ? ' for update skip locked' : '';
  const findFreeRunText = marks(`select * from workflow_runs where run_id = ?${lock}`);
  const listStepsText = marks('select * from workflow_steps where run_id = ?');
  const updateStepText = marks(
    `update workflow_steps set ${STEP_CHANGING.map((c) => `${c} = ?`).join(', ')} where run_id = ? and scheduled_event_id = ?`,
  );
  const deleteStepText = marks('delete from workflow_steps where run_id = ? and scheduled_event_id = ?');
  const deleteStepsOfText = marks(`delete from workflow_steps where run_id in ${listed}`);
  const deleteTimersOfText = marks(`delete from workflow_timers where run_id in ${listed}`);
  const deleteTimerText = marks('delete from workflow_timers where run_id = ? and seq = ? returning started_event_id');

  return {
    /** Undefined also while another process writes the run. */
    async findFreeRun(db: Db, runId: string): Promise<RunRow | undefined> {
      return (await run<RunRow>(db, findFreeRunText, [runId])).rows[0];
    },
    async listSteps(db: Db, runId: string): Promise<StepRow[]> {
      return (await run<StepRow>(db, listStepsText, [runId])).rows;
    },
    insertHistory: (tx: Tx, rows: [runId: string, first: number, last: number, events: string][]) =>
      insertHistory(tx, rows),
    insertSteps: (tx: Tx, steps: StepRow[]) =>
      insertSteps(
        tx,
        steps.map((step) => STEP_COLUMNS.map((column) => encodeColumn(column, step[column]))),
      ),
    updateStep: (tx: Tx, step: StepRow) =>
      run(tx, updateStepText, [
        ...STEP_CHANGING.map((column) => encodeColumn(column, step[column])),
        step.run_id,
        step.scheduled_event_id,
      ]),
    async deleteSteps(tx: Tx, steps: StepRow[]): Promise<void> {
      if (kind === 'postgres' && steps.length > 1)
        await run(tx, DELETE_STEPS_TEXT, [JSON.stringify(steps, ['run_id', 'scheduled_event_id'])]);
      else
        for (const { run_id, scheduled_event_id } of steps) await run(tx, deleteStepText, [run_id, scheduled_event_id]);
    },
    /** Deletes the open steps and timers of runs that have ended. */
    async deleteOpenWork(tx: Tx, runIds: string[]): Promise<void> {
      const list = JSON.stringify(runIds);
      await run(tx, deleteStepsOfText, [list]);
      await run(tx, deleteTimersOfText, [list]);
    },
    insertTimers: (tx: Tx, timers: [runId: string, seq: number, startedEventId: number, dueMs: number][]) =>
      insertTimers(tx, timers),
    /** The event that started the timer, undefined if it has fired. */
    async deleteTimer(tx: Tx, runId: string, seq: number): Promise<number | undefined> {
      return (await run<{ started_event_id: number }>(tx, deleteTimerText, [runId, seq])).rows[0]?.started_event_id;
    },
  };
}

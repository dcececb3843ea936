import {
  type Database,
  type Db,
  executeEach,
  executeTogether,
  insertPart,
  mayGoTogether,
  type Part,
  rowWriter,
  type Tx,
} from '../../../../kit/db/index.ts';
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

const HISTORY_COLUMNS = ['run_id', 'first_event_id', 'last_event_id', 'events'] as const;
const TIMER_COLUMNS = ['run_id', 'seq', 'started_event_id', 'due_ms'] as const;

const DELETE_STEP_TEXT = 'delete from workflow_steps where run_id = ? and scheduled_event_id = ?';
/** For PostgreSQL, where each statement is a round trip. */
const DELETE_MANY_STEPS_TEXT = `delete from workflow_steps as step
  using json_to_recordset(?::json) as ended(run_id text, scheduled_event_id bigint)
  where step.run_id = ended.run_id and step.scheduled_event_id = ended.scheduled_event_id`;

export type HistoryBatch = [runId: string, firstEventId: number, lastEventId: number, events: string];
export type NewTimer = [runId: string, seq: number, startedEventId: number, dueMs: number];

/** What a transaction writes beside the runs. Whatever is open of `endedRuns` is deleted. */
type Work = {
  history: readonly HistoryBatch[];
  newSteps: readonly StepRow[];
  endedSteps: readonly StepRow[];
  timers: readonly NewTimer[];
  endedRuns: readonly string[];
};

const deleteStepsPart = (steps: readonly StepRow[]): Part => ({
  text: DELETE_MANY_STEPS_TEXT,
  values: [JSON.stringify(steps, ['run_id', 'scheduled_event_id'])],
});

export type WorkStore = ReturnType<typeof createWorkStore>;

/** The hot-path statements on history, steps and timers, with their SQL text built once. */
export function createWorkStore(kind: Database['kind']) {
  const marks = numberMarks(kind);
  const listed = inJsonList(kind);
  const insertHistory = rowWriter(kind, 'workflow_history', HISTORY_COLUMNS);
  const insertSteps = rowWriter(kind, 'workflow_steps', STEP_COLUMNS);
  const insertTimers = rowWriter(kind, 'workflow_timers', TIMER_COLUMNS);
  const lock = kind === 'postgres' ? ' for update skip locked' : '';
  const findFreeRunText = marks(`select * from workflow_runs where run_id = ?${lock}`);
  const listStepsText = marks('select * from workflow_steps where run_id = ?');
  const updateStepText = marks(
    `update workflow_steps set ${STEP_CHANGING.map((c) => `${c} = ?`).join(', ')} where run_id = ? and scheduled_event_id = ?`,
  );
  const deleteStepsOfText = `delete from workflow_steps where run_id in ${listed}`;
  const deleteTimersOfText = `delete from workflow_timers where run_id in ${listed}`;
  const deleteTimerText = marks('delete from workflow_timers where run_id = ? and seq = ? returning started_event_id');

  return {
    /** Undefined also while another process writes the run. */
    async findFreeRun(db: Db, runId: string): Promise<RunRow | undefined> {
      return (await run<RunRow>(db, findFreeRunText, [runId])).rows[0];
    },
    async listSteps(db: Db, runId: string): Promise<StepRow[]> {
      return (await run<StepRow>(db, listStepsText, [runId])).rows;
    },
    updateStep: (tx: Tx, step: StepRow) =>
      run(tx, updateStepText, [
        ...STEP_CHANGING.map((column) => encodeColumn(column, step[column])),
        step.run_id,
        step.scheduled_event_id,
      ]),
    /** Steps that end make room for those that begin; no row is in two of the lists. */
    async write(tx: Tx, work: Work): Promise<void> {
      const ended = JSON.stringify(work.endedRuns);
      const steps = work.newSteps.map((step) => STEP_COLUMNS.map((column) => encodeColumn(column, step[column])));
      const deleted = work.endedSteps.map(({ run_id, scheduled_event_id }) => [run_id, scheduled_event_id]);
      if (kind === 'postgres') {
        const parts: Part[] = [];
        if (work.history.length > 0) parts.push(insertPart('workflow_history', HISTORY_COLUMNS, work.history));
        if (deleted.length > 0) parts.push(deleteStepsPart(work.endedSteps));
        if (steps.length > 0) parts.push(insertPart('workflow_steps', STEP_COLUMNS, steps));
        if (work.timers.length > 0) parts.push(insertPart('workflow_timers', TIMER_COLUMNS, work.timers));
        if (work.endedRuns.length > 0)
          parts.push({ text: deleteStepsOfText, values: [ended] }, { text: deleteTimersOfText, values: [ended] });
        if (mayGoTogether(parts)) return executeTogether(tx, parts);
      }
      if (work.history.length > 0) await insertHistory(tx, work.history);
      if (kind === 'sqlite') await executeEach(tx, DELETE_STEP_TEXT, deleted);
      else if (deleted.length > 0) await executeTogether(tx, [deleteStepsPart(work.endedSteps)]);
      if (steps.length > 0) await insertSteps(tx, steps);
      if (work.timers.length > 0) await insertTimers(tx, work.timers);
      if (work.endedRuns.length === 0) return;
      await run(tx, marks(deleteStepsOfText), [ended]);
      await run(tx, marks(deleteTimersOfText), [ended]);
    },
    /** The event that started the timer, undefined if it has fired. */
    async deleteTimer(tx: Tx, runId: string, seq: number): Promise<number | undefined> {
      return (await run<{ started_event_id: number }>(tx, deleteTimerText, [runId, seq])).rows[0]?.started_event_id;
    },
  };
}

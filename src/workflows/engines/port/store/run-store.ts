import { CompiledQuery } from 'kysely';
import { type Database, type Db, rowWriter, type Tx } from '../../../../kit/db/index.ts';
import type { RunRow, StepRow } from '../tables.ts';

const FIXED = [
  'run_id',
  'organization_id',
  'workspace_id',
  'user_id',
  'execution_id',
  'workflow_id',
  'workflow_name',
  'display_name',
  'registration_id',
  'deployment_name',
  'root_execution_id',
  'parent_execution_id',
  'parent_seq',
  'parent_initiated_id',
  'parent_waits',
  'parent_close_policy',
  'schedule_id',
  'first_run_id',
  'continued_run_id',
  'metadata',
  'search_key_paths',
  'timeout_ms',
  'deadline_ms',
  'started_at',
] as const satisfies (keyof RunRow)[];

/** What changes from turn to turn. */
const HOT = [
  'version',
  'has_children',
  'cancel_requested',
  'last_event_id',
  'history_bytes',
  'turn_scheduled_id',
  'turn_attempt',
  'buffered',
  'lease_seq',
  'lease_worker',
  'lease_until_ms',
  'sticky_worker',
  'sticky_event_id',
] as const satisfies (keyof RunRow)[];

/** What indexes are made of, or is only set at the end: naming it in a statement costs, even if it stays the same. */
const COLD = [
  'is_latest',
  'parent_run_id',
  'ended_at',
  'status',
  'result',
  'failure',
  'ready_ms',
  'due_ms',
] as const satisfies (keyof RunRow)[];

const CHANGING = [...HOT, ...COLD];

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
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'metadata',
  'search_key_paths',
  'result',
  'failure',
  'buffered',
  'input',
  'options',
  'last_heartbeat',
  'last_failure',
]);

export type RunStore = ReturnType<typeof createRunStore>;

/** The statements of the engine's hot path: few, with texts made once. The rules are elsewhere. */
export function createRunStore(kind: Database['kind']) {
  const marks = numberMarks(kind);
  const runColumns = [...FIXED, ...CHANGING];
  const insertRuns = rowWriter(kind, 'workflow_runs', runColumns);
  const insertHistory = rowWriter(kind, 'workflow_history', ['run_id', 'first_event_id', 'last_event_id', 'events']);
  const insertSteps = rowWriter(kind, 'workflow_steps', STEP_COLUMNS);
  const insertTimers = rowWriter(kind, 'workflow_timers', ['run_id', 'seq', 'started_event_id', 'due_ms']);
  const insertKeys = rowWriter(
    kind,
    'workflow_search_keys',
    ['run_id', 'workspace_id', 'key', 'value'],
    'on conflict (run_id, key) do update set value = excluded.value',
  );
  const updateText = (columns: readonly string[]) =>
    marks(`update workflow_runs set ${columns.map((c) => `${c} = ?`).join(', ')} where run_id = ? and version = ?`);
  const updateHotText = updateText(HOT);
  const updateRunText = updateText(CHANGING);
  const updateStepText = marks(
    `update workflow_steps set ${STEP_CHANGING.map((c) => `${c} = ?`).join(', ')} where run_id = ? and scheduled_event_id = ?`,
  );
  const lock = kind === 'postgres' ? ' for update' : '';
  const findRunText = marks(`select * from workflow_runs where run_id = ?${lock}`);
  const findRunOfText = marks(`select * from workflow_runs where run_id = ? and workspace_id = ?${lock}`);
  const findFreeRunText = findRunText + (kind === 'postgres' ? ' skip locked' : '');
  // Written out, because the index of latest runs is used only where its condition can be read.
  const latest = 'select * from workflow_runs where workspace_id = ? and execution_id = ? and is_latest';
  const readLatestText = marks(latest);
  const findLatestText = marks(`${latest}${lock}`);
  const listStepsText = marks('select * from workflow_steps where run_id = ?');
  const listed =
    kind === 'postgres' ? '(select json_array_elements_text(?::json))' : '(select value from json_each(?))';
  const versionsText = marks(`select run_id, version from workflow_runs where run_id in ${listed}`);
  const deleteStepText = marks('delete from workflow_steps where run_id = ? and scheduled_event_id = ?');
  const deleteStepsOfText = marks(`delete from workflow_steps where run_id in ${listed}`);
  const deleteTimersOfText = marks(`delete from workflow_timers where run_id in ${listed}`);
  const deleteTimerText = marks('delete from workflow_timers where run_id = ? and seq = ? returning started_event_id');

  const run = <R>(db: Db, text: string, values: unknown[]) => db.executeQuery<R>(CompiledQuery.raw(text, values));

  return {
    /** Of any workspace where none is named. */
    async findRun(db: Db, runId: string, workspaceId?: string): Promise<RunRow | undefined> {
      const ofOne = () => run<RunRow>(db, findRunOfText, [runId, workspaceId]);
      return (await (workspaceId === undefined ? run<RunRow>(db, findRunText, [runId]) : ofOne())).rows[0];
    },
    /** Undefined also when somebody else is writing it. */
    async findFreeRun(db: Db, runId: string): Promise<RunRow | undefined> {
      return (await run<RunRow>(db, findFreeRunText, [runId])).rows[0];
    },
    /** Without a lock, for those who only look. */
    async readLatest(db: Db, workspaceId: string, executionId: string): Promise<RunRow | undefined> {
      return (await run<RunRow>(db, readLatestText, [workspaceId, executionId])).rows[0];
    },
    async findLatest(db: Db, workspaceId: string, executionId: string): Promise<RunRow | undefined> {
      return (await run<RunRow>(db, findLatestText, [workspaceId, executionId])).rows[0];
    },
    async listSteps(db: Db, runId: string): Promise<StepRow[]> {
      return (await run<StepRow>(db, listStepsText, [runId])).rows;
    },
    async insertRuns(tx: Tx, rows: RunRow[]): Promise<void> {
      const values = rows.map((row) => runColumns.map((column) => encode(column, row[column])));
      await insertRuns(tx, values);
    },
    /** False when the run has been written by someone else since it was read. */
    async updateRun(tx: Tx, row: RunRow, read: RunRow): Promise<boolean> {
      const isHot = COLD.every((column) => row[column] === read[column]);
      const values = (isHot ? HOT : CHANGING).map((column) => encode(column, row[column]));
      const text = isHot ? updateHotText : updateRunText;
      const { numAffectedRows } = await run(tx, text, [...values, row.run_id, read.version]);
      return numAffectedRows === 1n;
    },
    /** Whether nobody has written these runs since they were read. Where one process writes, nobody has. */
    async areCurrent(tx: Tx, runs: RunRow[]): Promise<boolean> {
      if (kind === 'sqlite' || runs.length === 0) return true;
      const ids = JSON.stringify(runs.map(({ run_id }) => run_id));
      const { rows } = await run<Pick<RunRow, 'run_id' | 'version'>>(tx, versionsText, [ids]);
      const versions = new Map(rows.map(({ run_id, version }) => [run_id, version]));
      return runs.every(({ run_id, version }) => versions.get(run_id) === version);
    },
    insertHistory: (tx: Tx, rows: [runId: string, first: number, last: number, events: string][]) =>
      insertHistory(tx, rows),
    insertSteps: (tx: Tx, steps: StepRow[]) =>
      insertSteps(
        tx,
        steps.map((step) => STEP_COLUMNS.map((column) => encode(column, step[column]))),
      ),
    updateStep: (tx: Tx, step: StepRow) =>
      run(tx, updateStepText, [
        ...STEP_CHANGING.map((column) => encode(column, step[column])),
        step.run_id,
        step.scheduled_event_id,
      ]),
    deleteStep: (tx: Tx, { run_id, scheduled_event_id }: StepRow) =>
      run(tx, deleteStepText, [run_id, scheduled_event_id]),
    /** What a run that has ended leaves behind. */
    async deleteOpenWork(tx: Tx, runIds: string[]): Promise<void> {
      const list = JSON.stringify(runIds);
      await run(tx, deleteStepsOfText, [list]);
      await run(tx, deleteTimersOfText, [list]);
    },
    insertTimers: (tx: Tx, timers: [runId: string, seq: number, startedEventId: number, dueMs: number][]) =>
      insertTimers(tx, timers),
    /** The event that started the timer, if it still ran. */
    async deleteTimer(tx: Tx, runId: string, seq: number): Promise<number | undefined> {
      return (await run<{ started_event_id: number }>(tx, deleteTimerText, [runId, seq])).rows[0]?.started_event_id;
    },
    insertKeys: (tx: Tx, keys: [runId: string, workspaceId: string, key: string, value: string][]) =>
      insertKeys(tx, keys),
  };
}

export function isChanged(row: RunRow, read: RunRow): boolean {
  return CHANGING.some((column) => row[column] !== read[column]);
}

function encode(column: string, value: unknown): unknown {
  return JSON_COLUMNS.has(column) && value !== null ? JSON.stringify(value) : value;
}

/** PostgreSQL numbers the places of values in a statement. */
function numberMarks(kind: Database['kind']): (text: string) => string {
  if (kind !== 'postgres') return (text) => text;
  return (text) => {
    let count = 0;
    return text.replace(/\?/g, () => `$${++count}`);
  };
}

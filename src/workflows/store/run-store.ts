import { CompiledQuery } from 'kysely';
import { type Database, type Db, executeEach, rowWriter, type Tx } from '../../kit/db/index.ts';
import type { RunRow } from './run-tables.ts';

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
  'chain_run_id',
  'metadata',
  'search_key_paths',
  'timeout_ms',
  'deadline_ms',
  'started_at',
] as const satisfies (keyof RunRow)[];

/** Columns that change with every turn, with their types in PostgreSQL. */
const HOT_TYPES = {
  version: 'bigint',
  has_children: 'boolean',
  cancel_requested: 'boolean',
  last_event_id: 'bigint',
  history_bytes: 'bigint',
  turn_scheduled_id: 'bigint',
  turn_attempt: 'bigint',
  buffered: 'json',
  lease_seq: 'bigint',
  lease_worker: 'text',
  lease_until_ms: 'bigint',
  sticky_worker: 'text',
  sticky_event_id: 'bigint',
} as const satisfies Partial<Record<keyof RunRow, string>>;

/** Indexed columns, and those set only at the end: an update that names them is slower even if they stay the same. */
const COLD_TYPES = {
  ended_at: 'text',
  status: 'text',
  result: 'json',
  failure: 'json',
  ready_ms: 'bigint',
  due_ms: 'bigint',
} as const satisfies Partial<Record<keyof RunRow, string>>;

/** Of other indexes: they change when an execution goes on in another run. */
const RARE_TYPES = { is_latest: 'boolean', parent_run_id: 'text' } as const satisfies Partial<
  Record<keyof RunRow, string>
>;

/** Of runs whose worker was lost. New runs have their defaults. */
const LOST_TYPES = {
  deaths: 'bigint',
  lost_ms: 'bigint',
  quarantined_at: 'text',
  quarantine_reason: 'text',
} as const satisfies Partial<Record<keyof RunRow, string>>;

const TYPES = { ...HOT_TYPES, ...COLD_TYPES, ...RARE_TYPES, ...LOST_TYPES };
const HOT = Object.keys(HOT_TYPES) as (keyof typeof HOT_TYPES)[];
const COLD = Object.keys(COLD_TYPES) as (keyof typeof COLD_TYPES)[];
const NAMED = Object.keys(RARE_TYPES) as (keyof typeof RARE_TYPES)[];
const LOST = Object.keys(LOST_TYPES) as (keyof typeof LOST_TYPES)[];
const RARE = [...NAMED, ...LOST];
const ENDING = [...HOT, ...COLD];
const CHANGING = [...ENDING, ...RARE];

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

export type RunChange = { row: RunRow; read: RunRow };

export type RunStore = ReturnType<typeof createRunStore>;

/** The hot-path statements on runs, with their SQL text built once. */
export function createRunStore(kind: Database['kind']) {
  const marks = numberMarks(kind);
  const runColumns = [...FIXED, ...ENDING, ...NAMED];
  const insertRuns = rowWriter(kind, 'workflow_runs', runColumns);
  const insertKeys = rowWriter(
    kind,
    'workflow_search_keys',
    ['run_id', 'workspace_id', 'key', 'value'],
    'on conflict (run_id, key) do update set value = excluded.value',
  );
  const updateText = (columns: readonly string[]) =>
    marks(`update workflow_runs set ${columns.map((c) => `${c} = ?`).join(', ')} where run_id = ? and version = ?`);
  const updateTexts = new Map([HOT, ENDING, CHANGING].map((columns) => [columns, updateText(columns)]));
  const updateManyHotText = updateManyText(HOT);
  const updateManyRunsText = updateManyText(CHANGING);
  const lock = kind === 'postgres' ? ' for update' : '';
  const findRunText = marks(`select * from workflow_runs where run_id = ?${lock}`);
  const findRunOfText = marks(`select * from workflow_runs where run_id = ? and workspace_id = ?${lock}`);
  // `is_latest` is literal text: the planner uses the partial index only if it sees the condition.
  const latest = 'select * from workflow_runs where workspace_id = ? and execution_id = ? and is_latest';
  const readLatestText = marks(latest);
  const findLatestText = marks(`${latest}${lock}`);
  const versionsText = marks(`select run_id, version from workflow_runs where run_id in ${inJsonList(kind)}`);

  async function update(tx: Tx, changes: RunChange[], columns: (keyof typeof TYPES)[]): Promise<boolean> {
    if (changes.length === 0) return true;
    if (kind === 'postgres' && changes.length > 1) {
      const rows = changes.map(({ row, read }) => ({
        run_id: row.run_id,
        read_version: read.version,
        ...Object.fromEntries(columns.map((column) => [column, encodeColumn(column, row[column])])),
      }));
      const text = columns === HOT ? updateManyHotText : updateManyRunsText;
      const { numAffectedRows } = await run(tx, text, [JSON.stringify(rows)]);
      return numAffectedRows === BigInt(changes.length);
    }
    const each = changes.map(({ row, read }) => {
      const values: unknown[] = columns.map((column) => encodeColumn(column, row[column]));
      values.push(row.run_id, read.version);
      return values;
    });
    const text = updateTexts.get(columns) ?? '';
    if (kind === 'sqlite') return (await executeEach(tx, text, each)) === changes.length;
    return (await run(tx, text, each[0] ?? [])).numAffectedRows === 1n;
  }

  return {
    /** Without a workspace id: a run of any workspace. */
    async findRun(db: Db, runId: string, workspaceId?: string): Promise<RunRow | undefined> {
      const ofOne = () => run<RunRow>(db, findRunOfText, [runId, workspaceId]);
      return (await (workspaceId === undefined ? run<RunRow>(db, findRunText, [runId]) : ofOne())).rows[0];
    },
    /** Takes no lock. */
    async readLatest(db: Db, workspaceId: string, executionId: string): Promise<RunRow | undefined> {
      return (await run<RunRow>(db, readLatestText, [workspaceId, executionId])).rows[0];
    },
    async findLatest(db: Db, workspaceId: string, executionId: string): Promise<RunRow | undefined> {
      return (await run<RunRow>(db, findLatestText, [workspaceId, executionId])).rows[0];
    },
    async insertRuns(tx: Tx, rows: RunRow[]): Promise<void> {
      const values = rows.map((row) => runColumns.map((column) => encodeColumn(column, row[column])));
      await insertRuns(tx, values);
    },
    /** False when another process has written one of the runs since it was read. */
    async updateRuns(tx: Tx, changes: RunChange[]): Promise<boolean> {
      // On PostgreSQL a second round trip costs more than the columns that stay the same.
      const isTogether = kind === 'postgres' && changes.length > 1;
      const [hot, cold, rare]: [RunChange[], RunChange[], RunChange[]] = [[], [], []];
      for (const change of changes) {
        const isSame = (column: keyof typeof TYPES) => change.row[column] === change.read[column];
        (!RARE.every(isSame) ? rare : COLD.every(isSame) ? hot : cold).push(change);
      }
      if (isTogether && cold.length + rare.length > 0) return update(tx, changes, CHANGING);
      return (await update(tx, hot, HOT)) && (await update(tx, cold, ENDING)) && update(tx, rare, CHANGING);
    },
    /** Whether these runs are unchanged since they were read. On SQLite there is only one writing process. */
    async areCurrent(tx: Tx, runs: RunRow[]): Promise<boolean> {
      if (kind === 'sqlite' || runs.length === 0) return true;
      const ids = JSON.stringify(runs.map(({ run_id }) => run_id));
      const { rows } = await run<Pick<RunRow, 'run_id' | 'version'>>(tx, versionsText, [ids]);
      const versions = new Map(rows.map(({ run_id, version }) => [run_id, version]));
      return runs.every(({ run_id, version }) => versions.get(run_id) === version);
    },
    insertKeys: (tx: Tx, keys: [runId: string, workspaceId: string, key: string, value: string][]) =>
      insertKeys(tx, keys),
  };
}

/** A round trip for each of many runs would take longer than the commit. JSON is text within, as it is everywhere else. */
function updateManyText(columns: readonly (keyof typeof TYPES)[]): string {
  const typeOf = (column: keyof typeof TYPES) => (TYPES[column] === 'json' ? 'text' : TYPES[column]);
  const types = columns.map((column) => `${column} ${typeOf(column)}`).join(', ');
  const values = columns.map((column) => `${column} = changed.${column}::${TYPES[column]}`).join(', ');
  return `update workflow_runs as run set ${values}
    from json_to_recordset($1::json) as changed(run_id text, read_version bigint, ${types})
    where run.run_id = changed.run_id and run.version = changed.read_version`;
}

export function isChanged(row: RunRow, read: RunRow): boolean {
  return CHANGING.some((column) => row[column] !== read[column]);
}

export function encodeColumn(column: string, value: unknown): unknown {
  return JSON_COLUMNS.has(column) && value !== null ? JSON.stringify(value) : value;
}

/** PostgreSQL numbers its placeholders. */
export function numberMarks(kind: Database['kind']): (text: string) => string {
  if (kind !== 'postgres') return (text) => text;
  return (text) => {
    let count = 0;
    return text.replace(/\?/g, () => `$${++count}`);
  };
}

/** The members of a JSON array that is passed as one parameter. */
export function inJsonList(kind: Database['kind']): string {
  return kind === 'postgres' ? '(select json_array_elements_text(?::json))' : '(select value from json_each(?))';
}

export function run<Row>(db: Db, text: string, values: unknown[]) {
  return db.executeQuery<Row>(CompiledQuery.raw(text, values));
}

import type { Database, Tx } from '../../kit/db/index.ts';
import { chunksOf, compileOnce } from './compile-once.ts';
import type { UsageRecordRow } from './tables.ts';

/** Shorter runs are written with others: a statement of their own would cost more than it saves. */
const RUN_ROWS_MIN = 10;

/** Columns that consecutive records of a busy key share. All are text. */
const SHARED = ['organization_id', 'workspace_id', 'key_id', 'user_id', 'model', 'kind'] as const;
const OWN_TEXTS = ['id', 'request_id', 'created_at'] as const;
const OWN_NUMBERS = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cost_micros',
  'status',
  'latency_ms',
] as const;
const OWN = [...OWN_TEXTS, ...OWN_NUMBERS];

/** Binding values is nearly all of the work, so the columns that a run of records shares are bound once. */
export async function insertUsageRecords(tx: Tx, kind: Database['kind'], rows: UsageRecordRow[]): Promise<void> {
  const mixed: UsageRecordRow[] = [];
  for (const run of runsOf(rows)) {
    if (run.length < RUN_ROWS_MIN) mixed.push(...run);
    else
      for (const chunk of chunksOf(run))
        await tx.executeQuery({ ...runStatement(kind, chunk.length), parameters: runValues(chunk) });
  }
  for (const chunk of chunksOf(mixed))
    await tx.executeQuery({ ...mixedStatement(kind, chunk.length), parameters: mixedValues(chunk) });
}

function runsOf(rows: UsageRecordRow[]): UsageRecordRow[][] {
  const runs: UsageRecordRow[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0] && isSameRun(run[0], row)) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

function isSameRun(a: UsageRecordRow, b: UsageRecordRow): boolean {
  return (
    a.key_id === b.key_id &&
    a.user_id === b.user_id &&
    a.model === b.model &&
    a.kind === b.kind &&
    a.workspace_id === b.workspace_id &&
    a.organization_id === b.organization_id
  );
}

function placeholders(kind: Database['kind']): () => string {
  let count = 0;
  return () => (kind === 'postgres' ? `$${++count}` : '?');
}

const mixedStatement = (kind: Database['kind'], count: number) =>
  compileOnce(`${kind} mixed ${count}`, () => {
    const next = placeholders(kind);
    const columns = [...SHARED, ...OWN];
    const rows = Array.from({ length: count }, () => `(${columns.map(next).join(', ')})`);
    return `insert into usage_records (${columns.join(', ')}) values ${rows.join(', ')}`;
  });

const runStatement = (kind: Database['kind'], count: number) =>
  compileOnce(`${kind} run ${count}`, () => {
    const next = placeholders(kind);
    const shared = SHARED.map((column) => `cast(${next()} as text) as ${column}`);
    // PostgreSQL takes the column types from the first row.
    const first = [
      ...OWN_TEXTS.map(() => `cast(${next()} as text)`),
      ...OWN_NUMBERS.map(() => `cast(${next()} as bigint)`),
    ];
    const others = Array.from({ length: count - 1 }, () => OWN.map(next));
    const rows = [first, ...others].map((values) => `(${values.join(', ')})`);
    const chosen = [...SHARED.map((column) => `shared.${column}`), ...OWN.map((_, i) => `own.column${i + 1}`)];
    return `insert into usage_records (${[...SHARED, ...OWN].join(', ')}) select ${chosen.join(', ')}
      from (select ${shared.join(', ')}) as shared cross join (values ${rows.join(', ')}) as own`;
  });

function mixedValues(rows: UsageRecordRow[]): unknown[] {
  const values: unknown[] = [];
  for (const row of rows) {
    addShared(values, row);
    addOwn(values, row);
  }
  return values;
}

function runValues(rows: UsageRecordRow[]): unknown[] {
  const values: unknown[] = [];
  if (rows[0]) addShared(values, rows[0]);
  for (const row of rows) addOwn(values, row);
  return values;
}

// Written out, in the order of `SHARED` and `OWN`: a lookup by variable per column would cost more than the rest.
function addShared(values: unknown[], row: UsageRecordRow): void {
  values.push(row.organization_id, row.workspace_id, row.key_id, row.user_id, row.model, row.kind);
}

function addOwn(values: unknown[], row: UsageRecordRow): void {
  values.push(row.id, row.request_id, row.created_at, row.prompt_tokens, row.completion_tokens, row.cached_tokens);
  values.push(row.cost_micros, row.status, row.latency_ms);
}

import { CompiledQuery } from 'kysely';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { UsageRecordRow } from './tables.ts';

const STATEMENT_ROWS = 50;
/** Shorter runs than this are written with others: a statement of their own would cost more than it spares. */
const RUN_ROWS_MIN = 10;

/** What the records of a busy key have in common. All of it is text. */
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

/**
 * Nearly all of the work is to hand values over, so what a run of records has in common is handed over once. Long lists go
 * in pieces of one length, so that few statements serve all of them.
 */
export async function insertUsageRecords(tx: Tx, kind: Database['kind'], rows: UsageRecordRow[]): Promise<void> {
  const mixed: UsageRecordRow[] = [];
  for (const run of runsOf(rows)) {
    if (run.length < RUN_ROWS_MIN) mixed.push(...run);
    else
      for (const piece of piecesOf(run))
        await tx.executeQuery({ ...runStatement(kind, piece.length), parameters: runValues(piece) });
  }
  for (const piece of piecesOf(mixed))
    await tx.executeQuery({ ...mixedStatement(kind, piece.length), parameters: mixedValues(piece) });
}

function runsOf(rows: UsageRecordRow[]): UsageRecordRow[][] {
  const runs: UsageRecordRow[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0] && isAlike(run[0], row)) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

function isAlike(a: UsageRecordRow, b: UsageRecordRow): boolean {
  return (
    a.key_id === b.key_id &&
    a.user_id === b.user_id &&
    a.model === b.model &&
    a.kind === b.kind &&
    a.workspace_id === b.workspace_id &&
    a.organization_id === b.organization_id
  );
}

function piecesOf(rows: UsageRecordRow[]): UsageRecordRow[][] {
  const pieces: UsageRecordRow[][] = [];
  for (let i = 0; i < rows.length; i += STATEMENT_ROWS) pieces.push(rows.slice(i, i + STATEMENT_ROWS));
  return pieces;
}

/** By database and number of rows: to build one of hundreds of values costs more than to run it. */
const statements = new Map<string, CompiledQuery>();

function compileOnce(name: string, build: () => string): CompiledQuery {
  let query = statements.get(name);
  if (!query) {
    query = CompiledQuery.raw(build());
    statements.set(name, query);
  }
  return query;
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
    // PostgreSQL takes the types of a list of rows from the first.
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

// By name, in the order of `SHARED` and `OWN`: a lookup by variable for each of the columns would cost more than the rest.
function addShared(values: unknown[], row: UsageRecordRow): void {
  values.push(row.organization_id, row.workspace_id, row.key_id, row.user_id, row.model, row.kind);
}

function addOwn(values: unknown[], row: UsageRecordRow): void {
  values.push(row.id, row.request_id, row.created_at, row.prompt_tokens, row.completion_tokens, row.cached_tokens);
  values.push(row.cost_micros, row.status, row.latency_ms);
}

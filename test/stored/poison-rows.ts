import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../src/kit/db/index.ts';

/** Rows of these say which program made the database; a foreign row there must stop a start. */
const PROGRAMS_OWN = new Set(['migrations']);

type Column = { name: string; type: string; isKey: boolean };
type Row = Record<string, unknown>;

const WRONG = {
  json: ['{', 'null', '[]', '{}', '"text"', '7', '[null]', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  text: ['', 'x'.repeat(20_000), '\u{1F4A3}', '-1', '{"a":', '9999-12-31T23:59:59.999999Z', '../../etc/passwd'],
  number: [0, -1, 2 ** 31 - 1, 2 ** 53 - 1, -(2 ** 53 - 1)],
  loose: ['text in a number', 1.5, null],
};

const DUE = { state: 'ready', due_ms: null, run_at_ms: 1, priority: 1, dedupe_key: null, repeat_ms: null };

/**
 * For each column of each table and each wrong value: a copy of a row with that value. What the database itself refuses
 * cannot be stored and is left out. Returns how many rows each table got.
 */
export async function poisonRows(database: Database, queues: string[]): Promise<Map<string, number>> {
  const { kind } = database;
  const tables = await listTables(database);
  const planted = new Map<string, number>();
  await database.transaction(async (tx) => {
    if (kind === 'postgres') await sql.raw(PLANT_IN_POSTGRES).execute(tx);
    const { rows: members } = await sql<Row>`
      select wm.workspace_id, wm.user_id, w.organization_id from workspace_members wm
      join workspaces w on w.id = wm.workspace_id`.execute(tx);
    for (const table of tables) {
      const columns = await listColumns(tx, kind, table);
      const { rows } = await sql<Row>`select * from ${sql.table(table)} limit 1`.execute(tx);
      const plain = columns.map(({ name, type }) => [name, members[0]?.[name] ?? plainValue(type)]);
      const row = rows[0] ?? (Object.fromEntries(plain) as Row);
      // Every queue gets tasks whose contents mean nothing to its handler, due at once and before all others.
      const copied = table === 'tasks' ? queues.map((queue) => ({ ...row, ...DUE, queue }) as Row) : [row];
      if (table === 'workflow_schedules') row.task_id = null;
      // A handler reads what is in its tasks; the other columns are read by the queue, which is the same for all.
      const wrong = copied.flatMap((base, index) =>
        columns
          .filter(({ type }) => index === 0 || type.includes('json'))
          .flatMap((column) => wrongValues(kind, column).map((value) => ({ ...base, [column.name]: value }) as Row)),
      );
      const copies = wrong.map((copy, index) => withOwnKeys(copy, columns, `${table}-${index}`));
      planted.set(table, await (kind === 'sqlite' ? plantInSqlite : plantInPostgres)(tx, table, copies));
    }
  });
  return planted;
}

function plainValue(type: string): unknown {
  if (type.includes('json')) return {};
  if (/int|numeric|real|double/.test(type)) return 1;
  if (type.includes('bool')) return false;
  return /bytea|blob/.test(type) ? Buffer.from('x') : 'x';
}

function wrongValues(kind: Database['kind'], { type }: Column): readonly unknown[] {
  if (type.includes('json'))
    return kind === 'sqlite' ? WRONG.json : WRONG.json.slice(1, 7).map((text) => JSON.parse(text));
  if (/int|numeric|real|double/.test(type)) return kind === 'sqlite' ? [...WRONG.number, ...WRONG.loose] : WRONG.number;
  return type.includes('text') || type.includes('char') ? WRONG.text : [null];
}

/** The row with keys of its own, all of them or one; the first that the database takes is enough. */
function withOwnKeys(row: Row, columns: Column[], mark: string): Row[] {
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  return [keys, ...keys.toReversed().map((name) => [name])].map((own) => ({
    ...row,
    ...Object.fromEntries(own.map((name) => [name, changeKey(row[name], mark)])),
  }));
}

/** What is wrong with a key stays wrong. */
function changeKey(value: unknown, mark: string): unknown {
  if (typeof value === 'string' && value.length < 1000) return `${value}-${mark}`;
  if (typeof value === 'number' && value > 0 && value < 1e6) return value + Number(mark.split('-').at(-1)) + 1;
  return Buffer.isBuffer(value) ? Buffer.from(mark) : value;
}

async function plantInSqlite(db: Db, table: string, copies: Row[][]): Promise<number> {
  let count = 0;
  for (const tries of copies) {
    for (const row of tries) {
      if (!(await insert(db, table, row))) continue;
      count += 1;
      break;
    }
  }
  return count;
}

async function insert(db: Db, table: string, row: Row): Promise<boolean> {
  const values = Object.values(row).map((value): RawBuilder<unknown> => {
    return sql`${value !== null && typeof value === 'object' && !Buffer.isBuffer(value) ? JSON.stringify(value) : value}`;
  });
  const names = Object.keys(row).map((name) => sql.ref(name));
  try {
    await sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(values)})`.execute(db);
    return true;
  } catch {
    return false;
  }
}

/** One call for all rows of a table, because each failed insert needs a savepoint. */
const PLANT_IN_POSTGRES = `
  create function pg_temp.plant(target text, copies jsonb) returns int language plpgsql as $$
  declare tries jsonb; candidate jsonb; planted int := 0;
  begin
    for tries in select * from jsonb_array_elements(copies) loop
      for candidate in select * from jsonb_array_elements(tries) loop
        begin
          execute format('insert into %I select * from jsonb_populate_record(null::%I, $1)', target, target) using candidate;
          planted := planted + 1;
          exit;
        exception when others then null;
        end;
      end loop;
    end loop;
    return planted;
  end $$`;

async function plantInPostgres(db: Db, table: string, copies: Row[][]): Promise<number> {
  const bytesAsText = (_: string, value: unknown) =>
    (value as { type?: string } | null)?.type === 'Buffer'
      ? `\\x${Buffer.from((value as { data: number[] }).data).toString('hex')}`
      : value;
  const text = JSON.stringify(copies, bytesAsText);
  const { rows } = await sql<{ count: number }>`select pg_temp.plant(${table}, ${text}::jsonb) as count`.execute(db);
  return Number(rows[0]?.count);
}

async function listTables({ db, kind }: Database): Promise<string[]> {
  const query =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables where table_schema = 'public'`;
  const { rows } = await query.execute(db);
  return rows.map(({ name }) => name).filter((name) => !PROGRAMS_OWN.has(name));
}

async function listColumns(db: Db, kind: Database['kind'], table: string): Promise<Column[]> {
  if (kind === 'sqlite') {
    const { rows } = await sql<{ name: string; type: string; pk: number }>`
      select name, lower(type) as type, pk from pragma_table_info(${table})`.execute(db);
    const unique = await sql<{ name: string }>`
      select info.name from pragma_index_list(${table}) as list, pragma_index_info(list.name) as info
      where list."unique" = 1`.execute(db);
    const keys = new Set(unique.rows.map(({ name }) => name));
    return rows.map(({ name, type, pk }) => ({ name, type, isKey: pk > 0 || keys.has(name) }));
  }
  const { rows } = await sql<{ name: string; type: string; is_key: boolean }>`
    select column_name as name, data_type as type, exists (
      select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indisunique and i.indrelid = ${table}::regclass and a.attname = column_name) as is_key
    from information_schema.columns where table_name = ${table} and table_schema = 'public'`.execute(db);
  return rows.map(({ name, type, is_key }) => ({ name, type, isKey: is_key }));
}

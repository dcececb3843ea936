import { sql } from 'kysely';
import { recounts } from '../../../migrations/0076-listed-counts.ts';
import type { Database } from '../../../src/kit/db/index.ts';
import type { Kind } from '../../campaigns/tenants/id-fields.ts';
import { type Copied, type Family, type Ids, seedOf } from './family.ts';

type Column = { name: string; isNumber: boolean };

const STEP = 50_000;
/** Copies come two seconds after each other, a million within three weeks. */
const TIME_COLUMN = /^(created|updated|modified|started)_at$/;
const APART_SECONDS = 2;
const HORIZON = 1_000_000;
/** Copies in an empty table are numbered from here on: rows elsewhere may have the numbers before. */
const FIRST_NUMBER = 100;

const TENANTS: Record<string, string> = { workspace_id: 'workspaces', organization_id: 'organizations' };

/** Adds copies to the tables of a family; `from` and `to` count all copies. */
export async function fillFamily(database: Database, family: Family, ids: Ids, from: number, to: number) {
  const { tables, tally, followUp } = family;
  for (const [table, copied] of Object.entries(tables)) {
    const { fresh, isElsewhere, source = table } = copied;
    const columns = await columnsOf(database, table);
    const value = ({ name, isNumber }: Column, done: number) => {
      const column = `t.${quote(name)}`;
      const largest = `(select coalesce(max(${quote(name)}), ${FIRST_NUMBER}) from ${quote(table)})`;
      const tenants = TENANTS[name];
      if (isElsewhere && tenants) return `(select min(id) from ${tenants} where id <> t.${name})`;
      if (fresh.includes(name)) return isNumber ? `${largest} + n - ${done}` : `${column} || '-' || n`;
      if (TIME_COLUMN.test(name) && !isNumber) return timeOf(database, column);
      return column;
    };
    const first = `select * from ${quote(source)} where ${isSeed(copied, ids)} limit 1`;
    const found = await sql.raw(first).execute(database.db);
    if (found.rows.length === 0) throw new Error(`${source} has no row to copy.`);
    await quietly(database, table, () =>
      withoutIndexes(database, table, async () => {
        for (let done = from; done < to; done += STEP) {
          const last = Math.min(done + STEP, to);
          await run(
            database,
            `insert into ${quote(table)} (${columns.map(({ name }) => quote(name))})
            select ${columns.map((column) => value(column, done))} from (${first}) as t cross join (${series(database, done + 1, last)}) as numbers`,
          );
        }
      }),
    );
  }
  if (followUp) await run(database, followUp(ids));
  if (tally && database.kind === 'postgres') await raise(database, tally, ids, to - from);
  if (database.kind === 'postgres') await tidy(database, [...Object.keys(tables), 'listed_counts']);
}

/** As the server of PostgreSQL does by itself within a minute; nothing does it on SQLite. Not in a transaction. */
async function tidy({ db }: Database, tables: string[]): Promise<void> {
  await sql.raw(`vacuum (analyze) ${tables.map(quote)}`).execute(db);
}

/** Of PostgreSQL, where a million rows are indexed together many times faster than one by one. */
async function withoutIndexes(database: Database, table: string, work: () => Promise<unknown>): Promise<void> {
  const { rows } =
    database.kind === 'sqlite'
      ? { rows: [] }
      : await sql<{ name: string; text: string }>`select indexname as name, indexdef as text from pg_indexes
          where schemaname = current_schema() and tablename = ${table}
            and indexname not in (select conname from pg_constraint)`.execute(database.db);
  for (const { name } of rows) await run(database, `drop index ${quote(name)}`);
  await work();
  for (const { text } of rows) await run(database, text);
}

async function raise(database: Database, [scope, noun]: [Kind, string], ids: Ids, by: number): Promise<void> {
  await run(
    database,
    `update tallies set amount = amount + ${by} where scope_id = ${literal(ids[scope] ?? '')} and noun = ${literal(noun)}`,
  );
}

/**
 * Without triggers: on PostgreSQL a million updates of one tally in one transaction take minutes. The counts of lists are made
 * anew afterwards. Letters cost as much one by one as together.
 */
async function quietly(database: Database, table: string, work: () => Promise<unknown>) {
  if (database.kind === 'postgres') {
    await run(database, `alter table ${quote(table)} disable trigger all`);
    await work();
    await run(database, `alter table ${quote(table)} enable trigger all`);
  } else {
    const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master
      where type = 'trigger' and tbl_name = ${table}`.execute(database.db);
    const triggers = rows.filter(({ name }) => name.includes('_listed_'));
    for (const { name } of triggers) await run(database, `drop trigger ${quote(name)}`);
    await work();
    for (const trigger of triggers) await run(database, trigger.sql);
  }
  await recount(database, table);
}

async function recount(database: Database, table: string): Promise<void> {
  for (const select of recounts(database.kind)) {
    if (!select.includes(` from ${table} as r`)) continue;
    const [, list = '', span = ''] = /^select '(\w+)' as list.* '(\w+)' as span/.exec(select) ?? [];
    await run(database, `delete from listed_counts where list = ${literal(list)} and span = ${literal(span)}`);
    await run(database, `insert into listed_counts (list, scope, owner, span, block, part, amount, bytes) ${select}`);
  }
}

async function columnsOf(database: Database, table: string): Promise<Column[]> {
  const query =
    database.kind === 'sqlite'
      ? sql<{ name: string; type: string }>`select name, lower(type) as type from pragma_table_info(${table})`
      : sql<{
          name: string;
          type: string;
        }>`select column_name as name, data_type as type from information_schema.columns
          where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER' order by ordinal_position`;
  const { rows } = await query.execute(database.db);
  if (rows.length === 0) throw new Error(`There is no table ${table}.`);
  return rows.map(({ name, type }) => ({ name, isNumber: /int|real|double|numeric/.test(type) }));
}

function series({ kind }: Database, first: number, last: number): string {
  return kind === 'sqlite'
    ? `with recursive counted (n) as (select ${first} union all select n + 1 from counted where n < ${last}) select n from counted`
    : `select n from generate_series(${first}, ${last}) as n`;
}

function timeOf({ kind }: Database, column: string): string {
  const before = `(${HORIZON} - n) * ${APART_SECONDS}`;
  return kind === 'sqlite'
    ? `strftime('%Y-%m-%dT%H:%M:%S', substr(${column}, 1, 19), '-' || (${before}) || ' seconds') || '.' || printf('%06d', n % 1000000) || 'Z'`
    : `to_char(substr(${column}, 1, 19)::timestamp - ${before} * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || lpad((n % 1000000)::text, 6, '0') || 'Z'`;
}

const isSeed = ({ of }: Copied, ids: Ids) => `${quote(of[0])} = ${literal(seedOf(of, ids))}`;
const quote = (name: string) => `"${name}"`;
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

async function run(database: Database, text: string): Promise<void> {
  await database.transaction(async (tx) => {
    await sql.raw(text).execute(tx);
  });
}

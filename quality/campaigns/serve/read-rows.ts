import { sql } from 'kysely';
import type { Database } from '../../../src/kit/db/index.ts';

export type Row = { table: string; text: string };

/** Every row of every table, as text: bytes in hexadecimal, so that they can be searched. */
export async function readRows({ db, kind }: Database): Promise<Row[]> {
  const names =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`;
  const rows: Row[] = [];
  for (const { name } of (await names.execute(db)).rows) {
    const found = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
    for (const row of found.rows) rows.push({ table: name, text: JSON.stringify(row, showBytes) });
  }
  return rows;
}

function showBytes(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key];
  if (original instanceof Uint8Array) return Buffer.from(original).toString('hex');
  return typeof value === 'bigint' ? String(value) : value;
}

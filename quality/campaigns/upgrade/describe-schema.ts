import Sqlite from 'better-sqlite3';
import pg from 'pg';

/** Every column, index, trigger and constraint of a database as one line; equal schemas have equal lines. */
export type Shape = Set<string>;

export function shapeOfSqlite(file: string): Shape {
  const db = new Sqlite(file, { readonly: true });
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
    const columns = tables.flatMap((table) =>
      (db.pragma(`table_xinfo("${table}")`) as Record<string, unknown>[]).map(
        ({ cid: _, ...column }) => `${table}: ${JSON.stringify(column)}`,
      ),
    );
    const indexes = tables.flatMap((table) =>
      (db.pragma(`index_list("${table}")`) as { name: string; unique: number; origin: string }[]).map(
        ({ name, unique, origin }) =>
          `${table}: ${origin} ${unique} ${JSON.stringify(db.pragma(`index_info("${name}")`))}`,
      ),
    );
    const keys = tables.flatMap((table) =>
      (db.pragma(`foreign_key_list("${table}")`) as unknown[]).map((key) => `${table}: ${JSON.stringify(key)}`),
    );
    const written = db
      .prepare("select sql from sqlite_master where type in ('index', 'trigger', 'view') and sql is not null")
      .pluck()
      .all() as string[];
    return new Set([...columns, ...indexes, ...keys, ...written]);
  } finally {
    db.close();
  }
}

const OF_POSTGRES = [
  `select table_name, column_name, data_type, is_nullable, column_default, collation_name, is_identity, is_generated
     from information_schema.columns where table_schema = 'public'`,
  "select tablename, indexdef from pg_indexes where schemaname = 'public'",
  'select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal',
  `select conrelid::regclass::text as table_name, pg_get_constraintdef(oid) from pg_constraint
     where connamespace = 'public'::regnamespace`,
  "select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace",
];

export async function shapeOfPostgres(url: string): Promise<Shape> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const lines: string[] = [];
  for (const query of OF_POSTGRES) {
    const { rows } = await client.query<Record<string, unknown>>(query);
    lines.push(...rows.map((row) => JSON.stringify(row)));
  }
  await client.end();
  return new Set(lines);
}

export function differences(fresh: Shape, upgraded: Shape): string[] {
  const lacks = [...fresh].filter((line) => !upgraded.has(line)).map((line) => `lacks ${line}`);
  const extra = [...upgraded].filter((line) => !fresh.has(line)).map((line) => `has ${line}`);
  return [...lacks, ...extra];
}

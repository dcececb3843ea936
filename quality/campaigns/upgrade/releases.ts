import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type Sqlite from 'better-sqlite3';
import { findPrograms } from '../../../test/support/postgres.ts';

/** The data that one released program left on one database, and what it read back from it. */
export type Kept = {
  /** In the order in which they were applied. */
  migrations: string[];
  /** As statements. */
  data: string;
  /** Other files of the data dir, in base64. */
  files: Record<string, string>;
  reads: { path: string; key: string; body: unknown }[];
};

export type Release = { name: string; sqlite: Kept; postgres: Kept };

const FOLDER = new URL('./released/', import.meta.url);
const OF_SQLITE = /^tramontane\.(db.*|lock)$/;

export function keepRelease(number: number, kept: Omit<Release, 'name'>): string {
  const name = String(number).padStart(2, '0');
  writeFileSync(new URL(`${name}.json.br`, FOLDER), brotliCompressSync(JSON.stringify(kept)));
  return name;
}

const MIGRATED_AT = /migrations"? values \('[^']+', ?'([^']+)'/gi;

/** The time of the release: when its migrations were applied. */
export function madeAtMs({ data }: Pick<Kept, 'data'>): number {
  const last = [...data.matchAll(MIGRATED_AT)].at(-1)?.[1];
  if (last === undefined) throw new Error('The kept data has no migrations.');
  return Date.parse(last);
}

/** All releases, oldest first. */
export function readReleases(): Release[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json.br'));
  return files.sort().map((file) => {
    const text = brotliDecompressSync(readFileSync(new URL(file, FOLDER))).toString();
    return { name: file.replace('.json.br', ''), ...(JSON.parse(text) as Omit<Release, 'name'>) };
  });
}

export function readFiles(dataDir: string): Record<string, string> {
  const paths = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => statSync(join(dataDir, path)).isFile() && !OF_SQLITE.test(path));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(dataDir, path)).toString('base64')]));
}

export function writeFiles(dataDir: string, files: Record<string, string>): void {
  mkdirSync(dataDir, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dataDir, path)), { recursive: true });
    writeFileSync(join(dataDir, path), Buffer.from(content, 'base64'));
  }
}

const ALL_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by rowid";

/**
 * Triggers come last: some forbid the inserts before them. A virtual table makes its own tables, whose rows replace the
 * ones that it made.
 */
export function dumpSqlite(db: Sqlite.Database): string {
  const virtual = db.prepare("select name from sqlite_master where sql like 'create virtual table%'").pluck().all();
  const isMadeBy = (table: string) => virtual.some((name) => table.startsWith(`${name}_`));
  const list = (types: string) =>
    db
      .prepare(
        `select name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' and type in (${types}) order by rowid`,
      )
      .all() as { name: string; sql: string }[];
  const tables = (db.prepare(ALL_TABLES).pluck().all() as string[]).filter((table) => !virtual.includes(table));
  const rows = tables.flatMap((table) => {
    const columns = db.pragma(`table_info("${table}")`) as { name: string }[];
    const quoted = columns.map(({ name }) => `quote("${name}")`).join(` || ',' || `);
    const values = db.prepare(`select ${quoted} from "${table}"`).pluck().all() as string[];
    const insert = isMadeBy(table) ? 'insert or replace' : 'insert';
    return values.map((value) => `${insert} into "${table}" values (${value})`);
  });
  const made = list("'table'").filter(({ name }) => !isMadeBy(name));
  const statements = [...made, ...list("'index', 'trigger'")].map(({ sql }) => sql);
  return [...statements.slice(0, made.length), ...rows, ...statements.slice(made.length)]
    .map((sql) => `${sql};`)
    .join('\n');
}

/** Empty lines and comments stay: a text of several lines may have such lines, too. */
const PSQL_COMMAND = /^\\(un)?restrict /;

/** As statements that any client can send: without the commands of psql. */
export function dumpPostgres(url: string): string {
  const args = ['--inserts', '--no-owner', '--no-privileges', url];
  const text = execFileSync(join(findPrograms() ?? '', 'pg_dump'), args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return text
    .split('\n')
    .filter((line) => !PSQL_COMMAND.test(line))
    .join('\n');
}

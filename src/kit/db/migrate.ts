import { sql } from 'kysely';
import { type Database, lockFor } from './database.ts';
import type { Db, Tx } from './tables.ts';

declare module './tables.ts' {
  interface Tables {
    migrations: { name: string; applied_at: string; oldest_program: string };
  }
}

/** Column types that differ between the two databases; text sorts by code point on both. */
export type ColumnTypes = {
  text: string;
  json: string;
  bytes: string;
  bigint: string;
  boolean: string;
  number: string;
};

/**
 * Migrations only go forward. They may add what the previous program ignores. One that removes or changes what it reads
 * must raise `oldestProgram` and comes one release after the code that stopped using it. `holds` asks for a column.
 */
export type Migration = {
  name: string;
  oldestProgram: string;
  up: (types: ColumnTypes, kind: Database['kind'], holds: Holds) => string[] | Promise<string[]>;
};

/** Whether the table exists now and has this column. */
export type Holds = (table: string, column: string) => Promise<boolean>;

const COLUMN_TYPES: Record<Database['kind'], ColumnTypes> = {
  sqlite: { text: 'text', json: 'json text', bytes: 'blob', bigint: 'bigint', boolean: 'boolean', number: 'real' },
  postgres: {
    text: 'text collate "C"',
    json: 'json',
    bytes: 'bytea',
    bigint: 'bigint',
    boolean: 'boolean',
    number: 'double precision',
  },
};

export class ProgramTooOld extends Error {
  constructor(program: string, needed: string) {
    super(
      `This database needs tramontane ${needed} or newer; this is ${program}. Start the newer program, or restore a backup made before the upgrade.`,
    );
  }
}

/** Runs all pending migrations; returns their names. */
export async function migrate(
  database: Database,
  migrations: Migration[],
  program: string,
  now: string,
): Promise<string[]> {
  await refuseOldProgram(database.db, program);
  if (await isCurrent(database.db, migrations)) return [];
  return database.transaction(async (tx) => {
    await lockFor(tx, database.kind, 'migrations');
    await sql`create table if not exists migrations (name text primary key, applied_at text not null, oldest_program text not null)`.execute(
      tx,
    );
    const applied = new Set(await appliedNames(tx));
    const ran: string[] = [];
    const holds: Holds = async (table, column) => {
      const found = (await tx.introspection.getTables()).find(({ name }) => name === table);
      return found?.columns.some(({ name }) => name === column) ?? false;
    };
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue;
      for (const statement of await migration.up(COLUMN_TYPES[database.kind], database.kind, holds))
        await sql.raw(statement).execute(tx);
      const { name, oldestProgram } = migration;
      await tx.insertInto('migrations').values({ name, applied_at: now, oldest_program: oldestProgram }).execute();
      ran.push(name);
    }
    return ran;
  });
}

export async function refuseOldProgram(db: Db, program: string): Promise<void> {
  for (const { oldest_program } of await listAppliedMigrations(db)) {
    if (compareVersions(program, oldest_program) < 0) throw new ProgramTooOld(program, oldest_program);
  }
}

export type AppliedMigration = { name: string; oldest_program: string };

/** Only reads: a database without the table stays without it. */
export async function listAppliedMigrations(db: Db): Promise<AppliedMigration[]> {
  if (!(await hasMigrations(db))) return [];
  return db.selectFrom('migrations').select(['name', 'oldest_program']).orderBy('name').execute();
}

async function isCurrent(db: Db, migrations: Migration[]): Promise<boolean> {
  const applied = new Set((await listAppliedMigrations(db)).map(({ name }) => name));
  return migrations.every(({ name }) => applied.has(name));
}

async function appliedNames(db: Tx): Promise<string[]> {
  const rows = await db.selectFrom('migrations').select('name').execute();
  return rows.map(({ name }) => name);
}

async function hasMigrations(db: Db): Promise<boolean> {
  const tables = await db.introspection.getTables();
  return tables.some(({ name }) => name === 'migrations');
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parts(version: string): number[] {
  return version.split('-', 1).join('').split('.').map(Number);
}

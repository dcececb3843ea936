import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/kit/db/index.ts';
import { atEnd } from './cleanup.ts';
import { isFull } from './rounds.ts';
import { administer, databaseUrl } from './templates.ts';

export type TestDatabase = {
  kind: Database['kind'];
  options: DatabaseOptions;
  /** A migrated database; every call opens another handle on the same data, as another process would. */
  open(): Promise<Database>;
};

/** Runs the same tests on a fresh SQLite file and on a fresh PostgreSQL database, each for itself. */
export function onEachDatabase(name: string, define: (database: TestDatabase) => void): void {
  describe(`${name} on SQLite`, () => define(sqliteForTests()));
  const url = inject('postgresUrl');
  describe.runIf(url)(`${name} on PostgreSQL`, () => {
    if (url) define(postgresForTests(url));
  });
}

/** On SQLite, and on PostgreSQL in the full run only: what the database does not decide. */
export const onSqliteFirst: typeof onEachDatabase = isFull
  ? onEachDatabase
  : (name, define) => describe(`${name} on SQLite`, () => define(sqliteForTests()));

/**
 * The same for some tests of a suite that runs on both, as `it.runIf(isSqliteOrFull(database))`: the rules of HTTP
 * (schemas, statuses, refusals, permissions), and what takes seconds and sends no statements of its own.
 */
export const isSqliteOrFull = ({ kind }: TestDatabase) => kind === 'sqlite' || isFull;

export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tramontane-test-'));
  atEnd(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function sqliteForTests(): TestDatabase {
  const options = { kind: 'sqlite', file: join(temporaryDir(), 'tramontane.db') } as const;
  const opened: Database[] = [];
  atEnd(() => closeAll(opened));
  return {
    kind: 'sqlite',
    options,
    async open() {
      if (!existsSync(options.file)) copyFileSync(inject('sqliteTemplate'), options.file);
      const database = await openDatabase(options);
      opened.push(database);
      return database;
    },
  };
}

export function postgresForTests(serverUrl: string): TestDatabase {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const options = { kind: 'postgres', url: databaseUrl(serverUrl, name) } as const;
  const opened: Database[] = [];
  let created: Promise<void> | undefined;
  atEnd(async () => {
    await closeAll(opened);
    await administer(serverUrl, `drop database if exists ${name} with (force)`);
  });
  return {
    kind: 'postgres',
    options,
    async open() {
      created ??= administer(serverUrl, `create database ${name} template ${inject('postgresTemplate')}`);
      await created;
      const database = await openDatabase(options);
      opened.push(database);
      return database;
    },
  };
}

/** Most are closed by their tests; closing twice is harmless, and a failed database cannot be closed. */
async function closeAll(databases: Database[]): Promise<void> {
  await Promise.allSettled(databases.map((database) => database.close()));
}

/** A separate empty database, for processes that create its tables themselves. */
export async function createPostgresDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(serverUrl, `create database ${name}`);
  atEnd(() => administer(serverUrl, `drop database if exists ${name} with (force)`));
  return databaseUrl(serverUrl, name);
}

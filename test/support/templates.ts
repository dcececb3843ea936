import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrations } from '../../migrations/index.ts';
import { type DatabaseOptions, migrate, openDatabase } from '../../src/kit/db/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    sqliteTemplate: string;
    postgresTemplate: string;
  }
}

/**
 * Runs the migrations once on each database, for the whole run: each test file copies the result, which is much
 * cheaper. A migration that fails on an empty database fails the run here.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'tramontane-templates-'));
  const file = join(dir, 'migrated.db');
  await fill({ kind: 'sqlite', file });
  project.provide('sqliteTemplate', file);

  const name = `template_${randomBytes(6).toString('hex')}`;
  const { postgresUrl } = project.getProvidedContext();
  if (postgresUrl) {
    await administer(postgresUrl, `create database ${name}`);
    await fill({ kind: 'postgres', url: databaseUrl(postgresUrl, name) });
  }
  project.provide('postgresTemplate', name);
  return async () => {
    rmSync(dir, { recursive: true, force: true });
    if (postgresUrl) await administer(postgresUrl, `drop database if exists ${name}`);
  };
}

async function fill(options: DatabaseOptions): Promise<void> {
  const database = await openDatabase(options);
  await migrate(database, migrations, '0.1.0', new Date().toISOString());
  await database.close();
}

export function databaseUrl(serverUrl: string, name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

export async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { differences, type Shape, shapeOfPostgres, shapeOfSqlite } from './describe-schema.ts';
import { dumpPostgres, type Kept, type Release, writeFiles } from './releases.ts';

/** A copy of what a release left, ready to be opened. */
export type Copy = {
  environment: Record<string, string>;
  shape(): Promise<Shape>;
  /** All of its content, for comparison. */
  content(): string;
  /** Statements as an administrator would send them. */
  execute(statements: string): Promise<void>;
};

/** A kind of database: where copies of released data can be made. */
export type Ground = {
  kind: 'SQLite' | 'PostgreSQL';
  keptOf(release: Release): Kept;
  copy(directory: string, kept?: Pick<Kept, 'data' | 'files'>): Promise<Copy>;
};

export { differences };

export const onSqlite: Ground = {
  kind: 'SQLite',
  keptOf: ({ sqlite }) => sqlite,
  async copy(directory, kept = { data: '', files: {} }) {
    const dataDir = join(directory, randomBytes(6).toString('hex'));
    writeFiles(dataDir, kept.files);
    const file = join(dataDir, 'tramontane.db');
    const execute = async (statements: string) => {
      const db = new Sqlite(file);
      db.pragma('journal_mode = WAL');
      // The tables behind a virtual one are filled directly.
      db.unsafeMode(true);
      db.exec(statements);
      db.close();
    };
    await execute(kept.data);
    return {
      environment: { TRAMONTANE_DATA_DIR: dataDir },
      shape: async () => shapeOfSqlite(file),
      content: () => readFileSync(file).toString('latin1'),
      execute,
    };
  },
};

export function onPostgres(serverUrl: string): Ground {
  return {
    kind: 'PostgreSQL',
    keptOf: ({ postgres }) => postgres,
    async copy(directory, kept = { data: '', files: {} }) {
      const name = `upgrade_${randomBytes(6).toString('hex')}`;
      const dataDir = join(directory, name);
      writeFiles(dataDir, kept.files);
      await send(serverUrl, `create database ${name}`);
      const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
      await send(url, kept.data);
      return {
        environment: { TRAMONTANE_DATA_DIR: dataDir, TRAMONTANE_DATABASE_URL: url },
        shape: () => shapeOfPostgres(url),
        content: () => dumpPostgres(url),
        execute: (statements) => send(url, statements),
      };
    },
  };
}

async function send(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statements);
  await client.end();
}

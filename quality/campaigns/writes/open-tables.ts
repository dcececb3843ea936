import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import type { Query } from './find-marks.ts';

export type Tables = { query: Query; damage: () => string[]; close: () => Promise<void> };

/**
 * Copies the database as a killed server left it, log included: opening the file itself would recover it before the
 * next server could.
 */
export function openSqliteTables(dataDir: string): Tables {
  const dir = mkdtempSync(join(tmpdir(), 'tramontane-trust-'));
  const file = join(dir, 'tramontane.db');
  for (const suffix of ['', '-wal']) {
    const source = join(dataDir, `tramontane.db${suffix}`);
    if (existsSync(source)) copyFileSync(source, file + suffix);
  }
  const connection = new SqliteConnection(file);
  return {
    query: async <T extends object>(text: string) => connection.prepare(text).all() as T[],
    damage() {
      const found = connection.pragma('integrity_check') as { integrity_check: string }[];
      const broken = connection.pragma('foreign_key_check') as { table: string }[];
      return [
        ...found.map(({ integrity_check }) => integrity_check).filter((word) => word !== 'ok'),
        ...broken.map(({ table }) => `a row of ${table} refers to one that is not there`),
      ];
    },
    async close() {
      connection.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The database itself, while a server uses it. */
export function readSqliteTables(dataDir: string): Pick<Tables, 'query' | 'close'> {
  const connection = new SqliteConnection(join(dataDir, 'tramontane.db'), { readonly: true });
  return {
    query: async <T extends object>(text: string) => connection.prepare(text).all() as T[],
    close: async () => void connection.close(),
  };
}

export function openPostgresTables(url: string): Tables {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  // A pool has ended before its connections have: a PostgreSQL that is stopped next would end the campaign with all its figures.
  pool.on('error', () => undefined);
  return {
    query: async <T extends object>(text: string) => (await pool.query(text)).rows as T[],
    damage: () => [],
    close: () => pool.end(),
  };
}

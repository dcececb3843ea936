import type { Database, DatabaseOptions } from './database.ts';
import { openSqliteDatabase } from './sqlite/database.ts';

/** PostgreSQL's client is loaded only where it is used, which keeps the start on SQLite fast. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.kind === 'sqlite') return openSqliteDatabase(options.file);
  const { openPostgresDatabase } = await import('./postgres/database.ts');
  return openPostgresDatabase(options.url);
}

import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { createPrivateDir, makeFilePrivate } from '../kit/base/private-files.ts';
import { StartFailure } from './start-failure.ts';

/**
 * One server per data dir: two would miss each other's events. The lock is an open SQLite transaction, which the
 * operating system releases whenever the process ends. Returns the function that releases it.
 */
export function lockDataDir(dataDir: string): () => void {
  createPrivateDir(dataDir);
  const file = join(dataDir, 'server.lock');
  // Whoever may read a lock file may also hold it.
  makeFilePrivate(file);
  const lock = new SqliteConnection(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new StartFailure(
      `Another server uses the data dir ${dataDir}. Stop it, or choose another with TRAMONTANE_DATA_DIR.`,
    );
  }
  return () => void lock.close();
}

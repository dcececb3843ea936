import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import { overwriteUnused } from './overwrite-unused.ts';

/**
 * `checkpoint` moves what readers and writers allow; `restart` moves everything and starts the log over. `freeze` also empties
 * the log and keeps the file as it is then; `overwrite` clears what no row uses in it, by its handle, and lets it change again.
 */
export type CheckpointOrder = 'checkpoint' | 'restart' | 'freeze' | { overwrite: number } | 'stop';
export type CheckpointFailure = { code: string; message: string };
/** `logBytes`: the size of the log, whether it was moved or not. `pages`: so many were overwritten. */
export type CheckpointReport = { failure?: CheckpointFailure; logBytes: number; pages?: number };
/** `stopping`: not 0 when long work should end. `keptBytesMax`: a longer log is cut when it starts over. */
export type CheckpointData = { file: string; stopping: Int32Array; keptBytesMax: number };

/** Long enough for a reader of this process; a longer one, such as a backup, is not waited for. */
const READER_MS = 100;

const { file, stopping, keptBytesMax } = workerData as CheckpointData;
let connection: Connection | undefined;
let pageBytes = 0;

// PASSIVE never waits for a reader or a writer; the rest is moved next time.
function run(mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): CheckpointReport {
  connection ??= open();
  const [{ busy, log }] = connection.pragma(`wal_checkpoint(${mode})`) as [{ busy: number; log: number }];
  // Until the next write, RESTART reports the length that the log had.
  return { logBytes: mode === 'RESTART' && busy === 0 ? 0 : log * pageBytes };
}

function open(): Connection {
  const opened = new SqliteConnection(file, { timeout: READER_MS });
  opened.pragma('synchronous = NORMAL');
  opened.pragma('wal_autocheckpoint = 0');
  pageBytes = opened.pragma('page_size', { simple: true }) as number;
  return opened;
}

/** A log that keeps its length is overwritten in place, which a disk syncs in half the time that it takes for one that grows. */
function restart(): CheckpointReport {
  return run(statSync(`${file}-wal`).size > keptBytesMax ? 'TRUNCATE' : 'RESTART');
}

/** A reader of an empty log reads the file alone, and no checkpoint may change the file before it ends. */
function freeze(): CheckpointReport {
  const { logBytes } = run('TRUNCATE');
  if (logBytes > 0) return { logBytes };
  connection?.exec('begin; select 1 from sqlite_schema');
  // Another process may have written in between.
  const since = statSync(`${file}-wal`).size;
  if (since > 0) connection?.exec('rollback');
  return { logBytes: since };
}

function overwrite(handle: number): CheckpointReport {
  if (!connection?.inTransaction) throw new Error('The file may change.');
  try {
    const pages = overwriteUnused(connection, handle, () => Atomics.load(stopping, 0) === 0);
    return { logBytes: statSync(`${file}-wal`).size, pages };
  } finally {
    connection.exec('rollback');
  }
}

function carryOut(order: Exclude<CheckpointOrder, 'stop'>): CheckpointReport {
  if (order === 'freeze') return freeze();
  if (typeof order === 'object') return overwrite(order.overwrite);
  return order === 'restart' ? restart() : run('PASSIVE');
}

function report(order: Exclude<CheckpointOrder, 'stop'>): CheckpointReport {
  try {
    return carryOut(order);
  } catch (error) {
    // Reported instead of thrown: threads that die with an open database can crash the process.
    const { code = '', message } = error as Error & { code?: string };
    return { failure: { code, message }, logBytes: 0 };
  }
}

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order !== 'stop') return parentPort?.postMessage(report(order));
  connection?.close();
  parentPort?.close();
});

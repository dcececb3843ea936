import { parentPort, workerData } from 'node:worker_threads';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';

/** Move what can be moved beside readers and writers; move the rest and begin the log anew; end. */
export type CheckpointOrder = 'checkpoint' | 'restart' | 'stop';
export type CheckpointFailure = { code: string; message: string };
/** `logBytes`: how long the log is, whether it was moved or not. */
export type CheckpointReport = { failure?: CheckpointFailure; logBytes: number };

/** For a reader of this process, which is never long; one of another process, a backup say, is not waited for. */
const READER_MS = 100;

let connection: Connection | undefined;
let pageBytes = 0;

// PASSIVE never waits for a reader or a writer; what it could not move this time it moves the next.
function run(mode: 'PASSIVE' | 'TRUNCATE'): CheckpointReport {
  connection ??= open();
  const [{ log }] = connection.pragma(`wal_checkpoint(${mode})`) as [{ log: number }];
  return { logBytes: log * pageBytes };
}

function open(): Connection {
  const opened = new SqliteConnection(workerData as string, { timeout: READER_MS });
  opened.pragma('synchronous = NORMAL');
  opened.pragma('wal_autocheckpoint = 0');
  pageBytes = opened.pragma('page_size', { simple: true }) as number;
  return opened;
}

function report(order: 'checkpoint' | 'restart'): CheckpointReport {
  try {
    return run(order === 'restart' ? 'TRUNCATE' : 'PASSIVE');
  } catch (error) {
    // Told and not thrown: a thread that dies each second with a database open takes the process with it some day.
    const { code = '', message } = error as Error & { code?: string };
    return { failure: { code, message }, logBytes: 0 };
  }
}

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order !== 'stop') return parentPort?.postMessage(report(order));
  connection?.close();
  parentPort?.close();
});

import { parentPort, workerData } from 'node:worker_threads';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';

/** `checkpoint` moves what readers and writers allow; `restart` moves everything and starts the log over. */
export type CheckpointOrder = 'checkpoint' | 'restart' | 'stop';
export type CheckpointFailure = { code: string; message: string };
/** `logBytes`: the size of the log, whether it was moved or not. */
export type CheckpointReport = { failure?: CheckpointFailure; logBytes: number };

/** Long enough for a reader of this process; a longer one, such as a backup, is not waited for. */
const READER_MS = 100;

let connection: Connection | undefined;
let pageBytes = 0;

// PASSIVE never waits for a reader or a writer; the rest is moved next time.
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

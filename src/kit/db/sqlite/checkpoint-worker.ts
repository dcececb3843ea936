import { parentPort, workerData } from 'node:worker_threads';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';

export type CheckpointFailure = { code: string; message: string };

let connection: Connection | undefined;

// PASSIVE never waits for a reader or a writer; what it could not move this time it moves the next.
function checkpoint(): void {
  connection ??= open();
  connection.pragma('wal_checkpoint(PASSIVE)');
}

function open(): Connection {
  const opened = new SqliteConnection(workerData as string);
  opened.pragma('synchronous = NORMAL');
  opened.pragma('wal_autocheckpoint = 0');
  return opened;
}

parentPort?.on('message', (message: 'checkpoint' | 'stop') => {
  if (message === 'stop') {
    connection?.close();
    parentPort?.close();
    return;
  }
  try {
    checkpoint();
  } catch (error) {
    // Told and not thrown: a thread that dies each second with a database open takes the process with it some day.
    const { code = '', message } = error as Error & { code?: string };
    parentPort?.postMessage({ code, message } satisfies CheckpointFailure);
  }
});

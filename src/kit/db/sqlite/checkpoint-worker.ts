import { parentPort, workerData } from 'node:worker_threads';
import SqliteConnection from 'better-sqlite3';

// PASSIVE never waits for a reader or a writer; what it could not move this time it moves the next.
const connection = new SqliteConnection(workerData as string);
connection.pragma('synchronous = NORMAL');
connection.pragma('wal_autocheckpoint = 0');

parentPort?.on('message', (message: 'checkpoint' | 'stop') => {
  if (message === 'checkpoint') connection.pragma('wal_checkpoint(PASSIVE)');
  else {
    connection.close();
    parentPort?.close();
  }
});

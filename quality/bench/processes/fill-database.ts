import { statSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { answer } from './answer.ts';

// Inserts events directly, as fast as SQLite allows, into a database that a server has created.
const [file = ''] = process.argv.slice(2);
const DATA = JSON.stringify({ text: 'x'.repeat(3900) });
const ROWS_PER_TRANSACTION = 1000;
const connection = new SqliteConnection(file);

answer({
  fill(bytes: number): void {
    connection.pragma('journal_mode = OFF');
    connection.pragma('synchronous = OFF');
    while (statSync(file).size < bytes) insertRows();
    connection.pragma('journal_mode = WAL');
    connection.close();
  },
  /** Returns the size of the write-ahead log, which remains when this process is killed. */
  leaveWal(bytes: number): number {
    connection.pragma('journal_mode = WAL');
    connection.pragma('wal_checkpoint(TRUNCATE)');
    connection.pragma('wal_autocheckpoint = 0');
    const sizeOf = () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    while (sizeOf() < bytes) insertRows();
    return sizeOf();
  },
});

function insertRows(): void {
  const stream = `fill-${process.pid}-${process.hrtime.bigint()}`;
  const createdAt = new Date().toISOString();
  const insert = connection.prepare(
    'insert into whole_events (stream, seq, type, data, created_at) values (?, ?, ?, ?, ?)',
  );
  connection.transaction(() => {
    connection.prepare('insert into event_streams (stream, head) values (?, ?)').run(stream, ROWS_PER_TRANSACTION);
    for (let seq = 1; seq <= ROWS_PER_TRANSACTION; seq++) insert.run(stream, seq, 'said', DATA, createdAt);
  })();
}

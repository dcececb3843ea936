import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDir } from '../../../../test/support/databases.ts';
import { openSqliteDatabase } from './database.ts';

const KIB = 1024;
const LOG_BYTES_MAX = 256 * KIB;

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function openWithShortLog(file: string) {
  const database = openSqliteDatabase(file, { logBytesMax: LOG_BYTES_MAX });
  onTestFinished(() => database.close());
  return database;
}

it('a log that is written to all the time begins anew, and nothing of it is lost', async () => {
  const file = join(temporaryDir(), 'busy.db');
  const database = openWithShortLog(file);
  await sql`create table notes (id integer primary key, text text)`.execute(database.db);
  let isWriting = true;
  let written = 0;
  const write = async () => {
    while (isWriting) {
      await database.transaction((tx) => sql`insert into notes (text) values (${'x'.repeat(8 * KIB)})`.execute(tx));
      written++;
    }
  };
  const writers = [write(), write(), write()];
  let longest = 0;
  let begunAnew = 0;
  let before = 0;
  await expect
    .poll(
      () => {
        const size = sizeOf(`${file}-wal`);
        if (size < before) begunAnew++;
        before = size;
        longest = Math.max(longest, size);
        return begunAnew;
      },
      { interval: 5 },
    )
    .toBeGreaterThan(1);
  isWriting = false;
  await Promise.all(writers);
  expect(longest).toBeGreaterThan(LOG_BYTES_MAX);
  expect((await sql<{ count: number }>`select count(*) as count from notes`.execute(database.db)).rows).toEqual([
    { count: written },
  ]);
  expect((await sql`pragma integrity_check`.execute(database.db)).rows).toEqual([{ integrity_check: 'ok' }]);
});

it('a log that begins anew keeps its length, so that syncing it changes nothing but its content', async () => {
  const file = join(temporaryDir(), 'kept.db');
  const database = openWithShortLog(file);
  await sql`create table notes (text text)`.execute(database.db);
  const write = () =>
    database.transaction((tx) => sql`insert into notes (text) values (${'x'.repeat(8 * KIB)})`.execute(tx));
  for (let i = 0; i < 20; i++) await write();
  const length = sizeOf(`${file}-wal`);
  expect(length).toBeGreaterThan(LOG_BYTES_MAX);
  expect(length).toBeLessThan(2 * LOG_BYTES_MAX);
  const salt = () => readFileSync(`${file}-wal`).readUInt32BE(16);
  const before = salt();
  let written = 20;
  await expect.poll(() => write().then(() => ++written && salt()), { interval: 400 }).not.toBe(before);
  expect(sizeOf(`${file}-wal`)).toBeGreaterThanOrEqual(length);

  // What a process that dies now leaves is read up to the last write, and not the older part behind it.
  const found = join(temporaryDir(), 'found.db');
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, found + suffix);
  const opened = new SqliteConnection(found);
  onTestFinished(() => void opened.close());
  expect(opened.prepare('select count(*) as count from notes').get()).toEqual({ count: written });
  expect(opened.pragma('integrity_check', { simple: true })).toBe('ok');
});

it('a long log that a dead process left is moved without a write', async () => {
  const dir = temporaryDir();
  const [lost, found] = [join(dir, 'lost.db'), join(dir, 'found.db')];
  const dying = new SqliteConnection(lost);
  onTestFinished(() => void dying.close());
  dying.pragma('journal_mode = WAL');
  dying.pragma('wal_autocheckpoint = 0');
  dying.exec('create table notes (text text)');
  const insert = dying.prepare('insert into notes values (?)');
  for (let i = 0; i < 100; i++) insert.run('x'.repeat(8 * KIB));
  for (const suffix of ['', '-wal']) copyFileSync(lost + suffix, found + suffix);
  expect(sizeOf(`${found}-wal`)).toBeGreaterThan(2 * LOG_BYTES_MAX);

  const database = openWithShortLog(found);
  await expect.poll(() => sizeOf(`${found}-wal`)).toBe(0);
  expect((await sql`select count(*) as count from notes`.execute(database.db)).rows).toEqual([{ count: 100 }]);
});

it('a reader elsewhere holds nobody up; the log begins anew when it is gone', async () => {
  const file = join(temporaryDir(), 'read.db');
  const database = openWithShortLog(file);
  await sql`create table notes (text text)`.execute(database.db);
  const reader = new SqliteConnection(file, { readonly: true });
  onTestFinished(() => void reader.close());
  const rows = reader.prepare('select * from sqlite_master').iterate();
  rows.next();
  const write = () =>
    database.transaction((tx) => sql`insert into notes (text) values (${'x'.repeat(8 * KIB)})`.execute(tx));
  for (let i = 0; i < 100; i++) await write();
  // Long enough for the log to be looked at, and to be left as it is.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await write();
  expect(sizeOf(`${file}-wal`)).toBeGreaterThan(2 * LOG_BYTES_MAX);
  rows.return?.();
  await expect.poll(() => sizeOf(`${file}-wal`)).toBe(0);
});

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryDir } from '../../../../test/support/databases.ts';
import { createLogRewriter, LogDamaged, type LogRewriter } from './rewrite-log.ts';

let file: string;
let connection: Connection;
let log: LogRewriter;
beforeEach(() => {
  file = join(temporaryDir(), 'rows.db');
  connection = new SqliteConnection(file);
  connection.pragma('journal_mode = WAL');
  connection.pragma('wal_autocheckpoint = 0');
  connection.exec('create table rows (id integer primary key, body text)');
  log = createLogRewriter(file);
});
afterEach(() => {
  connection.close();
  log.close();
});

const insert = (count: number) => {
  for (let n = 0; n < count; n++) connection.prepare('insert into rows (body) values (?)').run('x'.repeat(n * 97));
};
const read = () => readFileSync(`${file}-wal`);

it('a log that is written again is the same log', () => {
  insert(50);
  const before = read();
  log.rewrite();
  expect(read().equals(before)).toBe(true);
  expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
});

it('a log that began anew is written again up to its last commit, and what is left of the round before stays as it is', () => {
  insert(50);
  connection.pragma('wal_checkpoint(RESTART)');
  insert(3);
  const before = read();
  log.rewrite();
  expect(read().equals(before)).toBe(true);
  expect(connection.prepare('select count(*) from rows').pluck().get()).toBe(53);
});

it('an empty log is left alone', () => {
  insert(2);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  log.rewrite();
  expect(read()).toHaveLength(0);
});

it.each([
  ['in a page', 32 + 24 + 100],
  ['in the head of a frame', 32 + 4],
  ['in the head of the log', 9],
])('one byte that changed %s is noticed, and nothing after it is written', (_, at) => {
  insert(5);
  const bytes = read();
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(`${file}-wal`, bytes);
  expect(() => log.rewrite()).toThrow(LogDamaged);
  expect(read().equals(bytes)).toBe(true);
});

it('a log that lost its end is noticed', () => {
  insert(5);
  writeFileSync(`${file}-wal`, read().subarray(0, -100));
  expect(() => log.rewrite()).toThrow(LogDamaged);
});

it.runIf(process.platform === 'linux')('the locks of this process are still held afterwards', () => {
  insert(5);
  const { ino } = statSync(`${file}-shm`);
  const own = new RegExp(`POSIX .* ${process.pid} \\S+:${ino} .*`, 'g');
  // The system may show a lock twice while those of other processes change.
  const locks = () => new Set(readFileSync('/proc/locks', 'utf8').match(own));
  const before = locks();
  expect(before.size).toBeGreaterThan(0);
  log.rewrite();
  expect(locks()).toEqual(before);
});

import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { copySqlite } from './copy-sqlite.ts';

it('a copy ends and is a consistent snapshot although a commit happens between any two of its steps', async () => {
  const dir = temporaryDir();
  const writer = new SqliteConnection(join(dir, 'source.db'));
  writer.pragma('journal_mode = WAL');
  writer.exec('create table rows (id integer primary key, content blob)');
  const insert = writer.prepare('insert into rows (content) values (zeroblob(?))');
  writer.transaction(() => {
    for (let i = 0; i < 200; i++) insert.run(100_000);
  })();
  let steps = 0;
  await copySqlite(join(dir, 'source.db'), join(dir, 'copy.db'), (done, total) => {
    if (done === total) return;
    insert.run(1);
    if (++steps > 100) throw new Error('the copy restarts after every commit');
  });
  expect(steps).toBeGreaterThan(2);
  writer.close();
  const copy = new SqliteConnection(join(dir, 'copy.db'), { readonly: true });
  expect(copy.prepare('select count(*) from rows').pluck().get()).toBe(200);
  expect(copy.pragma('journal_mode', { simple: true })).toBe('delete');
  copy.close();
});

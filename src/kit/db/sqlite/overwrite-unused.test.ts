import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDir } from '../../../../test/support/databases.ts';
import { openSqliteDatabase } from './database.ts';

const SECRET = 'zyzzyva';
const ROWS = 600;

function openNotes() {
  const file = join(temporaryDir(), 'notes.db');
  const database = openSqliteDatabase(file);
  onTestFinished(() => database.close());
  return { database, file };
}

/** The same numbers in every run. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Some fit into a page many times, and some take several pages. */
const textOf = (id: number, mark: string, random: (below: number) => number) =>
  `${mark}${id} `.repeat(1 + random(random(8) === 0 ? 2000 : 60));

const filesOf = (file: string) => [file, `${file}-wal`].filter((path) => existsSync(path));
const holdsSecret = (file: string) => filesOf(file).some((path) => readFileSync(path).includes(SECRET));

async function fillNotes({ database }: ReturnType<typeof openNotes>, random: (below: number) => number) {
  await sql`create table notes (id integer primary key, text text not null)`.execute(database.db);
  await sql`create index notes_by_text on notes (text)`.execute(database.db);
  // In any order, so that pages are split in the middle and rows move.
  const ids = Array.from({ length: ROWS }, (_, id) => id).sort(() => random(3) - 1);
  for (const id of ids) {
    const text = textOf(id, id % 2 === 0 ? SECRET : 'kept', random);
    await database.transaction((tx) => sql`insert into notes (id, text) values (${id}, ${text})`.execute(tx));
  }
}

const readNotes = async ({ database }: ReturnType<typeof openNotes>) =>
  (
    await sql<{ id: number; text: string }>`select id, text from notes where id % 2 = 1 order by id`.execute(
      database.db,
    )
  ).rows;

function checkFile(file: string): unknown {
  const connection = new SqliteConnection(file, { readonly: true });
  const found = connection.pragma('integrity_check', { simple: true });
  connection.close();
  return found;
}

it('nothing of deleted rows stays in the file or its log, and all other rows stay as they are', async () => {
  const notes = openNotes();
  await fillNotes(notes, createRandom(7));
  const before = await readNotes(notes);
  await notes.database.transaction((tx) => sql`delete from notes where id % 2 = 0`.execute(tx));
  // SQLite alone leaves copies behind; otherwise this test proves nothing.
  expect(holdsSecret(notes.file)).toBe(true);
  await notes.database.overwriteDeleted();
  expect(holdsSecret(notes.file)).toBe(false);
  expect(await readNotes(notes)).toEqual(before);
  expect(checkFile(notes.file)).toBe('ok');
});

it('rows may be written and read all the while', async () => {
  const notes = openNotes();
  const random = createRandom(11);
  await fillNotes(notes, random);
  const before = await readNotes(notes);
  await notes.database.transaction((tx) => sql`delete from notes where id % 2 = 0`.execute(tx));
  let isDone = false;
  const write = async () => {
    for (let id = ROWS + 1; !isDone; id += 2) {
      const text = textOf(id, 'later', random);
      await notes.database.transaction(async (tx) => {
        await sql`insert into notes (id, text) values (${id}, ${text})`.execute(tx);
        if (random(2) === 0)
          await sql`delete from notes where id = ${id - 2 * random(20)} and id > ${ROWS}`.execute(tx);
      });
      expect((await readNotes(notes)).slice(0, before.length)).toEqual(before);
    }
  };
  const writing = write();
  await notes.database.overwriteDeleted().finally(() => {
    isDone = true;
  });
  await writing;
  expect(holdsSecret(notes.file)).toBe(false);
  expect(checkFile(notes.file)).toBe('ok');
});

it('rows that leave something behind with each write do not keep it from ending', async () => {
  const notes = openNotes();
  await fillNotes(notes, createRandom(17));
  const ids = (await readNotes(notes)).map(({ id }) => id);
  await notes.database.transaction((tx) => sql`delete from notes where id % 2 = 0`.execute(tx));
  let isDone = false;
  let written = 0;
  const write = async () => {
    for (; !isDone; written++) {
      // Another length each time, so that the page is built anew around it.
      const text = 'again '.repeat(1 + (written % 97));
      const at = ids[written % ids.length] ?? 1;
      await notes.database.transaction((tx) => sql`update notes set text = ${text} where id = ${at}`.execute(tx));
    }
  };
  const writing = [write(), write(), write()];
  await notes.database.overwriteDeleted().finally(() => {
    isDone = true;
  });
  await Promise.all(writing);
  expect(written).toBeGreaterThan(10);
  expect(holdsSecret(notes.file)).toBe(false);
  expect(checkFile(notes.file)).toBe('ok');
});

it('a reader that stays keeps its rows, and the file is overwritten after it has gone', async () => {
  const notes = openNotes();
  await fillNotes(notes, createRandom(13));
  const reader = new SqliteConnection(notes.file, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.exec('begin');
  const count = reader.prepare('select count(*) from notes').pluck();
  expect(count.get()).toBe(ROWS);
  await notes.database.transaction((tx) => sql`delete from notes where id % 2 = 0`.execute(tx));
  const overwritten = notes.database.overwriteDeleted();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(count.get()).toBe(ROWS);
  reader.exec('commit');
  await overwritten;
  expect(holdsSecret(notes.file)).toBe(false);
});

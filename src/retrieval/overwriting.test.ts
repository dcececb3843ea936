import { existsSync, readFileSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteForTests } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { rounds } from '../../test/support/rounds.ts';
import { chunkForTests, retrievalForTests } from './retrieval-for-tests.ts';

const DOCUMENTS = rounds(40, 150);
const CHUNKS = rounds(4, 8);
const MINUTE_MS = 60_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Not a number, which would be a word of its own. */
const wordOf = (i: number) => `zyzzyva${LETTERS[Math.floor(i / 26)]}${LETTERS[i % 26]}quokka`;

it('a minute after half of many documents were removed, no word of them is in the file of SQLite', async () => {
  const testDatabase = sqliteForTests();
  const database = await testDatabase.open();
  let nowMs = Date.UTC(2026, 8, 1, 12);
  const { service } = retrievalForTests(database, { now: () => nowMs });
  await service.start();
  onTestFinished(() => service.stop());
  const file = database.file as string;
  const place = { workspaceId: 'w1', collectionId: 'many' };
  for (let i = 0; i < DOCUMENTS; i++) {
    // Of different lengths, so that pages of the file are split in different places.
    const text = `About ${wordOf(i)}. ${'It rains in the mountains of the south. '.repeat(1 + ((i * 7) % 23))}`;
    await service.put({
      ...{ ...place, organizationId: 'o1', documentId: `d${i}`, title: wordOf(i), language: 'en' },
      attributes: { about: wordOf(i) },
      chunks: Array.from({ length: CHUNKS }, (_, at) => chunkForTests(at, `${text}${wordOf(i)}`)),
    });
  }
  await service.idle();
  const removed = Array.from({ length: DOCUMENTS / 2 }, (_, i) => i * 2);
  for (const i of removed) await service.removeDocument({ ...place, documentId: `d${i}` });
  await service.idle();
  nowMs += MINUTE_MS;
  await service.idle();

  const files = [file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path));
  const isLeft = (i: number) => files.some((bytes) => bytes.includes(wordOf(i)));
  expect(removed.filter(isLeft)).toEqual([]);
  const kept = removed.map((i) => i + 1);
  expect(kept.filter(isLeft)).toEqual(kept);
  const connection = new SqliteConnection(file, { readonly: true });
  expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
  connection.close();
}, 60_000);

// A read is waited for for ten seconds.
inFull.it(
  'a read that stays does not have it given up: it is done once the read is over',
  async () => {
    const database = await sqliteForTests().open();
    let nowMs = Date.UTC(2026, 8, 1, 12);
    const { service } = retrievalForTests(database, { now: () => nowMs });
    await service.start();
    onTestFinished(() => service.stop());
    const file = database.file as string;
    const place = { workspaceId: 'w1', collectionId: 'one' };
    const document = { documentId: 'd', title: wordOf(0), language: 'en', attributes: {} };
    await service.put({ ...place, organizationId: 'o1', ...document, chunks: [chunkForTests(0, wordOf(0).repeat(3))] });
    await service.idle();
    const reader = new SqliteConnection(file, { readonly: true });
    onTestFinished(() => void reader.close());
    reader.exec('begin');
    reader.prepare('select count(*) from search_documents').get();
    await service.removeDocument({ ...place, documentId: 'd' });
    nowMs += MINUTE_MS;
    await service.idle();
    const listTasks = () => database.db.selectFrom('tasks').selectAll().where('queue', '=', 'retrieval').execute();
    const waiting = await listTasks();
    expect(waiting.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ kind: 'overwrite', tries: 1 }),
    );
    for (const task of waiting) expect(task).toMatchObject({ state: 'delayed', attempt: 0 });

    reader.exec('commit');
    nowMs += MINUTE_MS;
    await service.idle();
    const files = [file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path));
    expect(files.some((bytes) => bytes.includes(wordOf(0)))).toBe(false);
    expect(await listTasks()).toEqual([]);
  },
  60_000,
);

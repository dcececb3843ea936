import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addPerson, losses, openOperator } from '../../test/authority/person.ts';
import { call } from '../../test/support/call.ts';
import { onEachDatabase, sqliteForTests, temporaryDir } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { isFull } from '../../test/support/rounds.ts';
import { hasStore, startStore, type TestStore } from '../../test/support/s3.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { docxOf, paragraph, run } from '../engines/read/documents-for-tests.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createS3Blobs, createS3Client } from '../kit/blobs/index.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { makeLibrary, send, upload, whenRead } from './libraries-for-tests.ts';
import type { LibrarySource } from './schema.ts';

/** No part of it occurs by chance. */
const WORD = 'zyzzyvaquokka';
/** Contents and what rows leave in SQLite's file are removed within a minute after; only the full run waits for that. */
const LEFT_OUT = isFull ? [] : ['/blobs/', 'tramontane.db'];
const PATIENCE_MS = 120_000;

onEachDatabase('what was deleted', (database) => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = join(temporaryDir(), 'docs');
    mkdirSync(folder);
    writeFileSync(join(folder, `${WORD}.md`), `# ${WORD}\n\nA source with ${WORD}.\n`);
    server = await startTestServer(database, { file: { libraries: { source_folders: [{ path: folder }] } } });
  });

  it(
    'a word of a deleted document, source or library is in no table and in no file',
    async () => {
      const kept = await makeLibrary(server, { name: 'Kept' });
      const document = await upload(server, kept.id, `${WORD}.md`, `# ${WORD}\n\nA document with ${WORD}.\n`);
      await call(server, `/v1/libraries/${kept.id}/documents/${document.id}`, {
        method: 'PATCH',
        body: { attributes: { secret: WORD } },
      });
      const gone = await makeLibrary(server, { name: WORD, description: WORD });
      const footer = { 'word/footer1.xml': paragraph(run(`A footer with ${WORD}.`)) };
      await upload(server, gone.id, 'footer.docx', docxOf(paragraph(run('Some text.')), footer));
      await upload(server, gone.id, 'other.md', `Another document with ${WORD}.\n`);
      await call(server, `/v1/libraries/${gone.id}/sources`, { body: { place: { type: 'folder', path: folder } } });
      const source = async () =>
        ((await call(server, `/v1/libraries/${gone.id}/sources`)).body as { data: LibrarySource[] }).data[0]?.status;
      await expect.poll(source, { timeout: 20_000 }).toBe('done');
      expect(await listTables()).toContain('library_source_files');

      await call(server, `/v1/libraries/${kept.id}/documents/${document.id}`, { method: 'DELETE' });
      await call(server, `/v1/libraries/${gone.id}`, { method: 'DELETE' });
      await expect.poll(listTables, { timeout: 30_000 }).toEqual([]);
      await expect.poll(listPaths, { timeout: isFull ? 90_000 : 10_000, interval: 500 }).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'a word of a library or a search index is in no table and in no file soon after its user or workspace is deleted',
    async () => {
      const operator = await openOperator(database);
      for (const loss of ['its user is removed', 'its workspace is archived'] as const) {
        const person = await addPerson(operator);
        const isUser = loss === 'its user is removed';
        const owned = { name: WORD, description: WORD, ...(isUser && { owner_type: 'User' }) };
        const library = await makeLibrary(server, owned, person);
        const sent = await send(server, library.id, `${WORD}.md`, `# ${WORD}\n\nOf ${loss} with ${WORD}.\n`, person);
        expect(await whenRead(server, sent.body, person.key)).toMatchObject({ process_status: 'done' });
        // A search index belongs to its workspace, so it stays when a user goes.
        if (!isUser) await fillIndex(person.key);
        expect(await listTables()).toContain('search_chunks');
        await losses[loss].take(operator, person);
        await pruneNow();
        await expect.poll(listTables, { timeout: 30_000 }).toEqual([]);
      }
      await expect.poll(listPaths, { timeout: isFull ? 90_000 : 10_000, interval: 500 }).toEqual([]);
    },
    PATIENCE_MS,
  );

  async function fillIndex(key: string): Promise<void> {
    const indexes = '/v1/context/search-indexes';
    const config = { embedding: { type: 'custom', name: 'own', dimensions: 2 } };
    expect((await call(server, indexes, { key, body: { name: 'own', config } })).status).toBeLessThan(300);
    const chunks = [{ content: `A chunk with ${WORD}.`, embedding: [1, 0], start_offset: 0, end_offset: 9 }];
    const documents = [{ id: WORD, title: WORD, metadata: { word: WORD }, chunks }];
    const { body } = await call(server, `${indexes}/own/documents`, { key, body: { documents } });
    expect(body).toMatchObject({ accepted: 1 });
    await call(server, `${indexes}/own/summary_field/en`, { method: 'PUT', key, body: { content: `Of ${WORD}.` } });
  }

  /** What runs each hour. */
  async function pruneNow(): Promise<void> {
    const opened = server.platform.database;
    const tasks = createTasks({ database: opened, now: systemClock });
    for (const name of ['prune-libraries', 'remove-unfinished-documents'])
      await opened.transaction((tx) => tasks.enqueue(tx, { queue: 'maintenance', payload: { name } }));
  }

  async function listTables(): Promise<string[]> {
    const { db } = server.platform.database;
    const found: string[] = [];
    for (const { name } of await db.introspection.getTables()) {
      const rows = await db
        .selectFrom(name as never)
        .selectAll()
        .execute();
      if (rows.some((row) => holds(row))) found.push(name);
    }
    return found;
  }

  function listPaths(): string[] {
    const { file } = server.platform.database;
    const dirs = [server.config.dataDir, ...(file ? [dirname(file)] : [])];
    return [...new Set(dirs)].flatMap((dir) =>
      readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => !LEFT_OUT.some((part) => path.includes(part)))
        .filter((path) => path.includes(WORD) || readFileSync(path).includes(WORD)),
    );
  }
});

inFull.given(hasStore).describe('the content of a deleted document in an S3-compatible store', () => {
  let store: TestStore;
  let server: TestServer;
  beforeAll(async () => {
    store = await startStore();
    server = await startTestServer(sqliteForTests(), { environment: store.environment });
  });
  afterAll(() => store?.stop());

  it(
    'is no object there soon after',
    async () => {
      const blobs = createS3Blobs(createS3Client(store.bucket), 'libraries', temporaryDir());
      const keys = async () => {
        const found: string[] = [];
        for await (const sha256 of blobs.list()) found.push(sha256);
        return found;
      };
      const { id } = await makeLibrary(server);
      const document = await upload(server, id, 'a.md', `A document with ${WORD}.\n`);
      expect(await keys()).toHaveLength(1);
      await call(server, `/v1/libraries/${id}/documents/${document.id}`, { method: 'DELETE' });
      await expect.poll(keys, { timeout: 90_000, interval: 500 }).toEqual([]);
    },
    PATIENCE_MS,
  );
});

function holds(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(WORD);
  if (value instanceof Uint8Array) return Buffer.from(value).includes(WORD);
  return typeof value === 'object' && value !== null && Object.values(value).some((inner) => holds(inner));
}

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase, temporaryDir } from '../../test/support/databases.ts';
import { isFull } from '../../test/support/rounds.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { makeLibrary, upload } from './libraries-for-tests.ts';
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

function holds(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(WORD);
  if (value instanceof Uint8Array) return Buffer.from(value).includes(WORD);
  return typeof value === 'object' && value !== null && Object.values(value).some((inner) => holds(inner));
}

import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { onEachDatabase, temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { addStranger } from '../../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { runHere } from '../run-here-for-tests.ts';

const INDEXES = '/v1/context/search-indexes';
type Listed = { data: { id: string; name: string; attributes?: Record<string, unknown> }[] };

onEachDatabase('an export with documents', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database);
  });
  const run = (key: string, ...args: string[]) =>
    runHere(args, { TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: key });
  const get = async (key: string, path: string) => (await call(server, path, { key })).body;

  async function addDocument(key: string, library: string, name: string, content: string): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([content], { type: 'text/markdown' }), name);
    const headers = { authorization: `Bearer ${key}` };
    const url = `${server.url}/v1/libraries/${library}/documents`;
    return ((await (await fetch(url, { method: 'POST', headers, body: form })).json()) as { id: string }).id;
  }

  /** Two libraries of one name, one of them private; documents of one name; attributes; an index with its own vectors. */
  async function fill(key: string): Promise<void> {
    const make = async (body: object) => (await call(server, '/v1/libraries', { key, body })).body as { id: string };
    const { id } = await make({ name: 'Papers: 1/2', description: 'Of tides.', chunk_size: 600 });
    const first = await addDocument(key, id, 'tides.md', '# Tides\n\nThe tide rises twice a day.\n');
    await addDocument(key, id, 'tides.md', '# Tides\n\nAnother text.\n');
    await call(server, `/v1/libraries/${id}/documents/${first}`, {
      key,
      method: 'PATCH',
      body: { attributes: { team: 'blue', year: 2026 }, expires_at: '2099-01-01T00:00:00Z' },
    });
    const own = await make({ name: 'Papers: 1/2', owner_type: 'User' });
    await addDocument(key, own.id, 'diary.md', 'Only for me.\n');
    const config = { embedding: { type: 'custom', name: 'own', dimensions: 2 } };
    const schema = { document_fields: { year: { type: 'int' } }, chunk_fields: { place: { type: 'keyword' } } };
    await call(server, INDEXES, { key, body: { name: 'manuals', config, schema } });
    const chunks = [
      { content: 'The tide rises.', embedding: [0.6, 0.8], start_offset: 0, end_offset: 15, place: 'sea' },
      { content: 'The hills are green.', embedding: [1, 0], locator: 'p. 2', metadata: { b: 1, aa: 2 } },
    ];
    const documents = [{ id: 'a/1', title: 'Tides', year: 2026, metadata: { team: 'blue' }, chunks }];
    expect((await call(server, `${INDEXES}/manuals/documents`, { key, body: { documents } })).body).toMatchObject({
      accepted: 1,
    });
    const summary = { content: 'About tides.', status: 'generated', translated: false };
    await call(server, `${INDEXES}/manuals/summary_field/en`, { key, method: 'PUT', body: summary });
  }

  inFull.it(
    'gives the same files after an import elsewhere, where documents are read and found again',
    async () => {
      await fill(server.key);
      const [here, there] = [temporaryDir(), temporaryDir()];
      const exported = await run(server.key, 'export', here, '--documents');
      expect(exported).toMatchObject({ code: 0 });
      expect(exported.stdout).toContain(
        '2 libraries and 1 search index (4 documents); passages and vectors are made anew',
      );
      expect(Object.keys(treeOf(here)).sort()).toEqual([
        'libraries/Papers-1-2/documents/tides.md',
        'libraries/Papers-1-2/documents/tides~2.md',
        'libraries/Papers-1-2/library.yaml',
        'private-libraries/Papers-1-2/documents/diary.md',
        'private-libraries/Papers-1-2/library.yaml',
        'search-indexes/manuals.jsonl',
        'search-indexes/manuals.yaml',
        'tramontane-export.yaml',
      ]);
      const stranger = await addStranger(server);
      expect((await run(stranger, 'import', here, '--dry-run')).stdout).toContain('3 created');
      expect((await get(stranger, '/v1/libraries')) as Listed).toMatchObject({ data: [] });
      const imported = await run(stranger, 'import', here);
      expect(imported.stdout).toContain('3 created, 0 updated, 0 unchanged; 0 new versions, 4 new documents.');
      expect((await run(stranger, 'import', here)).stdout).toContain('0 created, 0 updated, 3 unchanged');
      await run(stranger, 'export', there, '--documents');
      expect(treeOf(there)).toEqual(treeOf(here));

      const libraries = (await get(stranger, '/v1/libraries')) as Listed;
      const shared = libraries.data.find((library) => !('owner_type' in library) || library.owner_type === 'Workspace');
      const search = { query: 'tide', mode: 'text', attributes: { team: 'blue' } };
      const found = async () =>
        (await call(server, `/v1/libraries/${shared?.id}/search`, { key: stranger, body: search })).text;
      await expect.poll(found, { timeout: 20_000 }).toContain('The tide rises twice a day.');
      const retriever = { type: 'nearest_neighbour', query_embedding: [0.6, 0.8], top_k: 1 };
      const nearest = await call(server, `${INDEXES}/manuals/search`, { key: stranger, body: { retriever } });
      expect(nearest.body).toMatchObject({
        hits: [{ chunk: { content: 'The tide rises.', place: 'sea', year: 2026 } }],
      });
    },
    60_000,
  );

  it('changes only what differs, and leaves documents of an earlier export alone without the option', async () => {
    const key = await addStranger(server);
    await fill(key);
    const dir = temporaryDir();
    await run(key, 'export', dir, '--documents');
    const plain = await run(key, 'export', dir);
    expect(plain.stdout).toContain('Libraries and search indexes are exported with --documents.');
    const file = join(dir, 'libraries/Papers-1-2/library.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('team: blue', 'team: green'));
    expect((await run(key, 'import', dir)).stdout).toContain('0 created, 1 updated, 2 unchanged');
    const [library] = ((await get(key, '/v1/libraries?search=papers')) as Listed).data.slice(-1);
    const { data } = (await get(key, `/v1/libraries/${library?.id}/documents`)) as Listed;
    expect(data.map(({ attributes }) => attributes?.team ?? null)).toContain('green');
  }, 60_000);

  it.each([
    ['a file that is not there', 'documents:\n  - file: none.md\n    name: a\n', 'there is no file documents/none.md'],
    ['a file elsewhere', 'documents:\n  - file: ../../a\n    name: a\n', "'../../a' is not the name of a file"],
    ['an unknown field', 'colour: red\ndocuments: []\n', "unknown field 'colour'"],
    ['no documents', 'description: x\n', 'a library needs at least a name and a list of documents'],
  ])('refuses a library with %s, and imports nothing', async (_, text, message) => {
    const key = await addStranger(server);
    const dir = temporaryDir();
    await run(key, 'export', dir, '--documents');
    mkdirSync(join(dir, 'libraries', 'bad'), { recursive: true });
    writeFileSync(join(dir, 'libraries', 'bad', 'library.yaml'), `name: Bad\n${text}`);
    expect(await run(key, 'import', dir)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect((await get(key, '/v1/libraries')) as Listed).toMatchObject({ data: [] });
  });

  it('does not follow a link to a document', async () => {
    const key = await addStranger(server);
    await fill(key);
    const dir = temporaryDir();
    await run(key, 'export', dir, '--documents');
    const path = join(dir, 'libraries/Papers-1-2/documents/tides.md');
    rmSync(path);
    symlinkSync('/etc/hostname', path);
    expect(await run(key, 'import', dir)).toMatchObject({ code: 1, stderr: expect.stringContaining('symbolic link') });
  });
});

function treeOf(dir: string): Record<string, string> {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    paths.map(({ parentPath, name }) => [
      join(parentPath, name).slice(dir.length + 1),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  );
}

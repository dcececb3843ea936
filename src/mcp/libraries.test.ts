import type { Client } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { makeLibrary, upload } from '../libraries/libraries-for-tests.ts';
import { connect, eras } from './connect-for-tests.ts';

type Made = Awaited<ReturnType<typeof upload>>;

describe.each(eras)('libraries for the official client of %s', (era) => {
  let server: TestServer;
  let client: Client;
  let document: Made;
  let secret: Made;
  const run = async (name: string, args: object, by = client) =>
    by.callTool({ name, arguments: { ...args } }) as Promise<{ isError?: boolean; structuredContent?: unknown }>;
  beforeAll(async () => {
    server = await startTestServer(sqliteForTests());
    const { id } = await makeLibrary(server, { name: 'Tides', description: 'Of the sea.' });
    document = await upload(server, id, 'tides.md', '# Tides\n\nHigh water is at noon.\n');
    const mine = await makeLibrary(server, { name: 'Diary', owner_type: 'User' });
    secret = await upload(server, mine.id, 'diary.md', 'Water in the cellar.\n');
    client = (await connect(server, era)).client;
  });

  it('are listed, searched with place, and read', async () => {
    const listed = await run('list_libraries', { query: 'tid' });
    const { library_id, id: document_id } = document;
    expect(listed.structuredContent).toEqual({
      libraries: [{ id: library_id, name: 'Tides', description: 'Of the sea.', documents: 1 }],
    });
    const found = await run('search_libraries', { query: 'noon', library_ids: [library_id] });
    expect(found.structuredContent).toMatchObject({
      passages: [{ library_id, document_id, document_name: 'tides.md', page: null, headings: ['Tides'] }],
    });
    expect((await run('search_libraries', { query: 'water' })).structuredContent).toMatchObject({
      passages: { length: 2 },
    });
    expect((await run('read_document', { library_id, document_id })).structuredContent).toMatchObject({
      name: 'tides.md',
      isCut: false,
      text: expect.stringContaining('High water is at noon.'),
    });
  });

  it('are resources: each library lists its documents, and each document is its text', async () => {
    const { library_id, id } = document;
    const uri = `library://${library_id}`;
    const { resources } = await client.listResources();
    expect(resources).toContainEqual(expect.objectContaining({ uri, name: 'Tides', mimeType: 'text/markdown' }));
    const [listed] = (await client.readResource({ uri })).contents as { text: string }[];
    expect(listed?.text).toContain(`[tides.md](${uri}/${id})`);
    const [read] = (await client.readResource({ uri: `${uri}/${id}` })).contents as { text: string }[];
    expect(read?.text).toContain('High water is at noon.');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('library://{library_id}/{document_id}');
  });

  it('obey the access of the caller', async () => {
    const colleague = (await connect({ url: server.url, key: await addColleague(server) }, era)).client;
    const found = await run('search_libraries', { query: 'water' }, colleague);
    expect(found.structuredContent).toMatchObject({ passages: [{ document_id: document.id }] });
    const place = { library_id: secret.library_id, document_id: secret.id };
    expect(await run('read_document', place, colleague)).toMatchObject({ isError: true });
    expect(
      await run('search_libraries', { query: 'water', library_ids: [secret.library_id] }, colleague),
    ).toMatchObject({ isError: true });
    await expect(colleague.readResource({ uri: `library://${secret.library_id}/${secret.id}` })).rejects.toThrow();
    const stranger = (await connect({ url: server.url, key: await addStranger(server) }, era)).client;
    expect((await run('list_libraries', {}, stranger)).structuredContent).toEqual({ libraries: [] });
    expect((await call(server, `/v1/libraries/${document.library_id}`)).status).toBe(200);
  });
});

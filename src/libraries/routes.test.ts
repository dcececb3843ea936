import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { makeLibrary, send, textOf, upload, whenRead } from './libraries-for-tests.ts';
import type {
  Document,
  Library,
  LibraryPassage,
  ListChunksResponse,
  ListDocumentsResponse,
  ListLibrariesResponse,
} from './schema.ts';

const MISSING = '01890000-0000-7000-8000-000000000000';

onEachDatabase('/v1/libraries', (database) => {
  let server: TestServer;
  let colleague: string;
  let billing: string;
  let stranger: string;
  let library: Library;
  let document: Document;
  beforeAll(async () => {
    server = await startTestServer(database, { file: { libraries: { document_limit_mib: 1 } } });
    colleague = await addColleague(server);
    billing = await addColleague(server, 'billing');
    stranger = await addStranger(server);
    library = await makeLibrary(server, { description: 'On tides.', chunk_size: 300 });
    document = await upload(server, library.id, 'Tide Tables.md', '# Tides\n\nHigh water is at noon.\n');
  });

  const one = (id = library.id) => `/v1/libraries/${id}`;
  const documentPath = ({ library_id, id }: Pick<Document, 'library_id' | 'id'> = document) =>
    `/v1/libraries/${library_id}/documents/${id}`;
  const newestUser = async () => {
    const { db } = server.platform.database;
    return (await db.selectFrom('users').select('id').orderBy('created_at', 'desc').executeTakeFirstOrThrow()).id;
  };

  describe('200', () => {
    it('a library goes while documents are added and deleted, without a mistake, and no document stays', async () => {
      const going = await makeLibrary(server);
      const add = (n: number) => send(server, going.id, `${n}.md`, `# Number ${n}\n`);
      const documents = (await Promise.all([1, 2, 3, 4, 5, 6].map(add))).map(({ body }) => body);
      const remove = (path: string) => call(server, path, { method: 'DELETE' });
      const answers = await Promise.all([
        ...documents.slice(0, 4).map((one) => remove(documentPath(one))),
        ...[7, 8, 9, 10].map(add),
        ...[1, 2].map(() => remove(one(going.id))),
        ...documents.slice(2).map((one) => remove(documentPath(one))),
      ]);
      const wrong = answers.filter(({ status }) => ![200, 201, 204, 404].includes(status));
      expect(wrong).toEqual([]);
      expect((await call(server, one(going.id))).status).toBe(404);
      const { db } = server.platform.database;
      const left = db.selectFrom('library_documents').select('id').where('library_id', '=', going.id);
      expect(await left.execute()).toEqual([]);
    });

    it('a library has every field, and counts its documents [LIBRARIES-CREATE] [LIBRARIES-FIELDS]', async () => {
      expect(library).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-/),
        name: 'Papers',
        created_at: expect.stringMatching(/Z$/),
        updated_at: library.created_at,
        owner_id: expect.any(String),
        owner_type: 'Workspace',
        total_size: 0,
        nb_documents: 0,
        chunk_size: 300,
        emoji: null,
        description: 'On tides.',
        generated_description: null,
        explicit_user_members_count: 0,
        explicit_workspace_members_count: 0,
        org_sharing_role: null,
        generated_name: null,
      });
      expect((await call(server, one())).body).toMatchObject({ nb_documents: 1, total_size: document.size });
    });

    it('a document has every field once it was read [LIBRARIES-UPLOAD] [LIBRARIES-DOCUMENT-FIELDS] [LIBRARIES-STATUS]', async () => {
      expect(document).toEqual({
        id: expect.any(String),
        library_id: library.id,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        mime_type: 'application/octet-stream',
        extension: 'md',
        size: 32,
        name: 'Tide Tables.md',
        summary: 'Tides High water is at noon.',
        created_at: expect.any(String),
        last_processed_at: expect.any(String),
        number_of_pages: 1,
        process_status: 'done',
        uploaded_by_id: expect.any(String),
        uploaded_by_type: 'User',
        tokens_processing_main_content: 8,
        tokens_processing_summary: 0,
        url: null,
        attributes: null,
        expires_at: null,
        processing_status: 'Completed',
        tokens_processing_total: 8,
        reason: null,
      });
      expect((await call(server, `${documentPath()}/status`)).body).toEqual({
        document_id: document.id,
        process_status: 'done',
        processing_status: 'Completed',
      });
    });

    it('the passages of a document are listed in reading order, by page and after a position', async () => {
      const { id } = await makeLibrary(server, { chunk_size: 256 });
      const long = await upload(server, id, 'long.md', `# Winds\n\n${'The mistral blows from the north. '.repeat(30)}`);
      const list = async (query: string) =>
        (await call(server, `${documentPath(long)}/chunks?${query}`)).body as ListChunksResponse;
      const all = await list('');
      expect(all.data.length).toBeGreaterThan(2);
      expect(all.data.map(({ position }) => position)).toEqual(all.data.map((_, at) => at));
      expect(all.has_more).toBe(false);
      expect(all.data[0]).toMatchObject({ headings: ['Winds'], kind: 'text' });
      const [, second, third] = all.data;
      expect(await list('after=0&limit=1')).toEqual({ data: [second], has_more: true });
      expect((await list('after=1')).data[0]).toEqual(third);
      expect(await list('page=0')).toEqual(all);
      expect(await list('page=1')).toEqual({ data: [], has_more: false });
      expect((await call(server, `${documentPath(long)}/chunks?limit=0`)).status).toBe(422);
    });

    it.runIf(isSqliteOrFull(database))(
      'a new document is 201, the same content again 200 with the document that is there [LIBRARIES-UPLOAD-SAME]',
      async () => {
        const { id } = await makeLibrary(server);
        const first = await send(server, id, 'a.txt', 'the same');
        const again = await send(server, id, 'b.txt', 'the same');
        expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
        expect((await send(server, (await makeLibrary(server)).id, 'a.txt', 'the same')).status).toBe(201);
        const headers = { 'idempotency-key': `doc-${database.kind}` };
        const once = await send(server, id, 'c.txt', 'once', { headers });
        const twice = await send(server, id, 'c.txt', 'once', { headers });
        expect([twice.status, twice.body.id, twice.headers.get('idempotency-replayed')]).toEqual([
          201,
          once.body.id,
          'true',
        ]);
      },
    );

    it('libraries come in pages, by token or by number, and are searched by name [LIBRARIES-LIST]', async () => {
      const key = await addStranger(server);
      for (const name of ['Alpha', 'ÄRGER', 'Beta']) await makeLibrary(server, { name }, { key });
      const list = async (query: string) =>
        (await call(server, `/v1/libraries?${query}`, { key })).body as ListLibrariesResponse;
      const names = ({ data }: ListLibrariesResponse) => data.map(({ name }) => name);
      const first = await list('page_size=2');
      expect(names(first)).toEqual(['Beta', 'ÄRGER']);
      expect(first.pagination).toEqual({
        total_items: 3,
        total_pages: 2,
        current_page: 0,
        page_size: 2,
        has_more: true,
      });
      const next = await list(`page_size=2&page_token=${first.next_page_token}`);
      expect([names(next), next.pagination, next.next_page_token]).toEqual([['Alpha'], null, null]);
      expect(names(await list('page_size=2&page=1'))).toEqual(['Alpha']);
      expect(names(await list(`search=${encodeURIComponent('ärg')}`))).toEqual(['ÄRGER']);
      expect(names(await list('filter_owned_by_me=true'))).toEqual([]);
      expect((await call(server, '/v1/libraries?page_token=x', { key })).status).toBe(400);
    });

    it('documents are sorted, searched and filtered by attributes [LIBRARIES-DOCUMENTS-LIST] [LIBRARIES-ATTRIBUTES]', async () => {
      const { id } = await makeLibrary(server);
      for (const [name, text] of [
        ['b.txt', 'bbbb'],
        ['A.txt', 'a'],
        ['c.md', 'cc'],
      ] as const)
        await upload(server, id, name, text);
      const list = async (query = '') =>
        (await call(server, `${one(id)}/documents?${query}`)).body as ListDocumentsResponse;
      const names = async (query: string) => (await list(query)).data.map(({ name }) => name);
      expect(await names('')).toEqual(['c.md', 'A.txt', 'b.txt']);
      expect(await names('sort_by=name&sort_order=asc')).toEqual(['A.txt', 'b.txt', 'c.md']);
      expect(await names('sort_by=size')).toEqual(['b.txt', 'c.md', 'A.txt']);
      expect(await names('page_size=1&page=1')).toEqual(['A.txt']);
      expect((await list('page_size=2')).pagination).toMatchObject({ total_items: 3, total_pages: 2, has_more: true });
      expect(await names('search=TXT')).toEqual(['A.txt', 'b.txt']);
      const [target] = (await list('search=c.md')).data as [Document];
      const attributes = { team: 'blue', n: 3, tags: ['x'], at: '2026-01-01T00:00:00Z' };
      const changed = await call(server, documentPath(target), { method: 'PATCH', body: { attributes, name: 'd.md' } });
      expect(changed.body).toMatchObject({ attributes, name: 'd.md' });
      const filter = (value: object) => `filters_attributes=${encodeURIComponent(JSON.stringify(value))}`;
      expect(await names(filter({ team: 'blue', n: 3 }))).toEqual(['d.md']);
      expect(await names(filter({ team: 'red' }))).toEqual([]);
      await call(server, documentPath(target), { method: 'PUT', body: { attributes: null } });
      expect(await names(filter({ team: 'blue' }))).toEqual([]);
    });

    it.runIf(isSqliteOrFull(database))(
      'the text comes whole or by pages, from 0, both ends included [LIBRARIES-TEXT]',
      async () => {
        expect(await textOf(server, document)).toBe('# Tides\n\nHigh water is at noon.');
        expect(await textOf(server, document, '?page_start=0&page_end=0')).toBe('# Tides\n\nHigh water is at noon.');
        expect(await textOf(server, document, '?page_start=1')).toBe('');
      },
    );

    it.runIf(isSqliteOrFull(database))(
      'a signed address gives the original or the text without a key for 30 minutes, and nothing once changed [LIBRARIES-LINKS]',
      async () => {
        for (const [kind, content] of [
          ['signed-url', '# Tides\n\nHigh water is at noon.\n'],
          ['extracted-text-signed-url', '# Tides\n\nHigh water is at noon.\n\n'],
        ] as const) {
          const url = (await call(server, `${documentPath()}/${kind}`)).body as string;
          const expires = Number(new URL(url).searchParams.get('expires'));
          expect(Math.abs(expires - Date.now() / 1000 - 1800)).toBeLessThan(60);
          const answer = await fetch(url);
          expect([await answer.text(), answer.headers.get('x-content-type-options')]).toEqual([content, 'nosniff']);
          for (const wrong of [
            url.replace(String(expires), String(expires + 1)),
            url.replace(document.id, MISSING),
            url.replace(library.id, MISSING),
            url.includes('=text') ? url.replace('=text', '=original') : url.replace('=original', '=text'),
          ])
            expect((await fetch(wrong)).status).toBe(403);
        }
      },
    );

    it.runIf(isSqliteOrFull(database))(
      'a document that cannot be read fails with its reason, and is read again on demand [LIBRARIES-FAILED] [LIBRARIES-REPROCESS]',
      async () => {
        const failed = await upload(server, library.id, 'old.doc', Buffer.from('d0cf11e0a1b11ae1', 'hex'));
        expect(failed).toMatchObject({ process_status: 'error', processing_status: 'Failed', number_of_pages: null });
        expect(failed.reason).toMatch(/^unsupported_document: .*Save it as docx/);
        const text = await call(server, `${documentPath(failed)}/text_content`);
        expect((await call(server, `${documentPath(failed)}/chunks`)).status).toBe(409);
        expect([text.status, text.text]).toEqual([409, expect.stringContaining('Save it as docx')]);
        expect((await call(server, `${documentPath(failed)}/reprocess`, { method: 'POST' })).status).toBe(204);
        expect((await whenRead(server, failed)).reason).toBe(failed.reason);
      },
    );

    it('a deleted document and a deleted library are gone [LIBRARIES-DELETE]', async () => {
      const mine = await makeLibrary(server);
      const kept = await upload(server, mine.id, 'a.txt', 'one');
      expect((await call(server, documentPath(kept), { method: 'DELETE' })).status).toBe(204);
      expect((await call(server, documentPath(kept))).status).toBe(404);
      const other = await upload(server, mine.id, 'b.txt', 'two');
      expect((await call(server, one(mine.id), { method: 'DELETE' })).body).toMatchObject({ id: mine.id });
      for (const path of [
        one(mine.id),
        documentPath(other),
        `${documentPath(other)}/text_content`,
        `${documentPath(other)}/chunks`,
      ])
        expect((await call(server, path)).status).toBe(404);
    });

    it('a library is renamed, and described by null as by nothing [LIBRARIES-UPDATE]', async () => {
      const { id } = await makeLibrary(server);
      for (const method of ['PATCH', 'PUT'])
        expect((await call(server, one(id), { method, body: { name: method, description: null } })).body).toMatchObject(
          {
            name: method,
            description: null,
          },
        );
      expect((await call(server, one(id), { method: 'PATCH', body: {} })).body).toMatchObject({ name: 'PUT' });
    });
  });

  describe('sharing', () => {
    const share = (id: string, body: object, method = 'PUT', key?: string) =>
      call(server, `${one(id)}/share`, { method, body, key });

    it('a private library is missing for others until it is shared, and then opens as far as its level [LIBRARIES-SHARE] [LIBRARIES-PRIVATE]', async () => {
      const friend = await addColleague(server);
      const share_with_uuid = await newestUser();
      const entity = { share_with_type: 'User', share_with_uuid };
      const mine = await makeLibrary(server, { owner_type: 'User' });
      const inside = await upload(server, mine.id, 'a.txt', 'private words');
      const tried = async () => [
        (await call(server, one(mine.id), { key: friend })).status,
        (await call(server, `${documentPath(inside)}/text_content`, { key: friend })).status,
        (await send(server, mine.id, 'b.txt', 'words of a friend', { key: friend })).status,
        (await call(server, one(mine.id), { key: friend, method: 'DELETE' })).status,
        (await share(mine.id, { ...entity, level: 'Editor' }, 'PUT', friend)).status,
      ];
      expect(await tried()).toEqual([404, 404, 404, 404, 404]);
      expect((await share(mine.id, { ...entity, level: 'Viewer' })).body).toEqual({
        library_id: mine.id,
        user_id: share_with_uuid,
        org_id: expect.any(String),
        role: 'Viewer',
        share_with_type: 'User',
        share_with_uuid,
      });
      expect(await tried()).toEqual([200, 200, 403, 403, 403]);
      await share(mine.id, { ...entity, level: 'Editor' });
      expect(await tried()).toEqual([200, 200, 201, 403, 403]);
      expect((await call(server, one(mine.id))).body).toMatchObject({ explicit_user_members_count: 1 });
      expect((await share(mine.id, entity, 'DELETE')).body).toMatchObject({ role: 'Editor' });
      expect(await tried()).toEqual([404, 404, 404, 404, 404]);
      expect((await share(mine.id, entity, 'DELETE')).status).toBe(404);
    });

    it.runIf(isSqliteOrFull(database))(
      'nothing is shared outside of the organization, nor with its owner [LIBRARIES-SHARE-INSIDE]',
      async () => {
        const mine = await makeLibrary(server);
        const shares = (await call(server, `${one(mine.id)}/share`)).body as {
          data: { share_with_uuid: string; org_id: string }[];
        };
        const [owner] = shares.data;
        const own = { share_with_type: 'Workspace', share_with_uuid: owner?.share_with_uuid, level: 'Viewer' };
        expect((await share(mine.id, own)).status).toBe(400);
        const { organization_id, id } = await server.platform.database.db
          .selectFrom('workspaces')
          .select(['id', 'organization_id'])
          .where('organization_id', '<>', owner?.org_id ?? '')
          .executeTakeFirstOrThrow();
        for (const [share_with_type, share_with_uuid] of [
          ['Workspace', id],
          ['Org', organization_id],
          ['User', MISSING],
        ])
          expect((await share(mine.id, { share_with_type, share_with_uuid, level: 'Viewer' })).status).toBe(404);
      },
    );

    it('a workspace or the whole organization sees what is shared with it, and no other organization does', async () => {
      const mine = await makeLibrary(server, { owner_type: 'User' });
      const { org_id } = ((await call(server, `${one(mine.id)}/share`)).body as { data: [{ org_id: string }] }).data[0];
      await share(mine.id, { share_with_type: 'Org', share_with_uuid: org_id, level: 'Viewer' });
      expect((await call(server, one(mine.id), { key: colleague })).body).toMatchObject({ org_sharing_role: 'Viewer' });
      expect((await call(server, one(mine.id), { key: stranger })).status).toBe(404);
      const listed = (await call(server, '/v1/libraries', { key: colleague })).body as ListLibrariesResponse;
      expect(listed.data.map(({ id }) => id)).toContain(mine.id);
    });
  });

  it('the text of a document may be asked for right after its upload', async () => {
    const fresh = await makeLibrary(server);
    const { body } = await send(server, fresh.id, 'fresh.md', 'Just sent.\n');
    expect(await call(server, `${documentPath(body)}/text_content`)).toMatchObject({
      status: 200,
      body: { text: expect.stringContaining('Just sent.') },
    });
  });

  it('a search finds passages with document, page and scores, filtered by attributes, and never expired ones', async () => {
    const sea = await makeLibrary(server);
    const tides = await upload(server, sea.id, 'tides.md', '# Tides\n\nHigh water is at noon.\n');
    await upload(server, sea.id, 'boats.md', '# Boats\n\nNo boat leaves at high water.\n');
    const attributes = { team: 'blue' };
    await call(server, documentPath(tides), { method: 'PATCH', body: { attributes } });
    const search = async (body: object) => {
      const answer = await call(server, `${one(sea.id)}/search`, { body: { mode: 'text', ...body } });
      return (answer.body as { data: LibraryPassage[] }).data;
    };
    expect(await search({ query: 'noon' })).toMatchObject([
      {
        library_id: sea.id,
        document_id: tides.id,
        document_name: 'tides.md',
        headings: ['Tides'],
        text: expect.stringContaining('High water is at noon.'),
        attributes,
        scores: { vector: null, rerank: null },
      },
    ]);
    const names = async (body: object) => (await search(body)).map(({ document_name }) => document_name).sort();
    expect(await names({ query: 'water' })).toEqual(['boats.md', 'tides.md']);
    expect(await names({ query: 'water', attributes })).toEqual(['tides.md']);
    expect(await names({ query: 'water', top_k: 1 })).toHaveLength(1);
    const expires_at = new Date(Date.now() - 1000).toISOString();
    await call(server, documentPath(tides), { method: 'PATCH', body: { expires_at } });
    expect(await names({ query: 'water' })).toEqual(['boats.md']);
  });

  const everyCall = (libraryId: string, id: string) =>
    [
      ['GET', one(libraryId)],
      ['PATCH', one(libraryId), { name: 'x' }],
      ['PUT', one(libraryId), { name: 'x' }],
      ['GET', `${one(libraryId)}/documents`],
      ['POST', `${one(libraryId)}/web-documents`, { url: 'https://example.test/' }],
      ['POST', `${one(libraryId)}/search`, { query: 'water' }],
      ['GET', `${one(libraryId)}/share`],
      ['PUT', `${one(libraryId)}/share`, { share_with_type: 'User', share_with_uuid: MISSING, level: 'Viewer' }],
      ['DELETE', `${one(libraryId)}/share`, { share_with_type: 'User', share_with_uuid: MISSING }],
      ['GET', `${one(libraryId)}/documents/${id}`],
      ['PATCH', `${one(libraryId)}/documents/${id}`, { name: 'x' }],
      ['PUT', `${one(libraryId)}/documents/${id}`, { name: 'x' }],
      ['GET', `${one(libraryId)}/documents/${id}/text_content`],
      ['GET', `${one(libraryId)}/documents/${id}/chunks`],
      ['GET', `${one(libraryId)}/documents/${id}/status`],
      ['GET', `${one(libraryId)}/documents/${id}/signed-url`],
      ['GET', `${one(libraryId)}/documents/${id}/extracted-text-signed-url`],
      ['POST', `${one(libraryId)}/documents/${id}/reprocess`],
      ['DELETE', `${one(libraryId)}/documents/${id}`],
      ['DELETE', one(libraryId)],
    ] as [string, string, object?][];

  it.runIf(isSqliteOrFull(database))('401 without a key, and 403 for a role that may not', async () => {
    for (const [method, path, body] of [
      ...everyCall(library.id, document.id),
      ['GET', '/v1/libraries'] as [string, string],
    ]) {
      expect((await call(server, path, { method, body, key: 'wrong' })).status).toBe(401);
      expect((await call(server, path, { method, body, key: billing })).status).toBe(403);
    }
    expect((await send(server, library.id, 'x.txt', 'x', { key: billing })).status).toBe(403);
  });

  it.runIf(isSqliteOrFull(database))(
    "another organization's library and document look exactly like missing ones [LIBRARIES-FOREIGN]",
    async () => {
      const calls = everyCall(library.id, document.id);
      for (const [method, path, body] of calls) {
        const theirs = await call(server, path, { method, body, key: stranger });
        const missing = await call(server, path.replace(library.id, MISSING), { method, body, key: stranger });
        expect([path, theirs.status, theirs.text.replaceAll(library.id, MISSING)]).toEqual([path, 404, missing.text]);
      }
      expect((await send(server, library.id, 'x.txt', 'x', { key: stranger })).status).toBe(404);
      expect(
        (await call(server, documentPath({ library_id: (await makeLibrary(server)).id, id: document.id }))).status,
      ).toBe(404);
      expect((await call(server, documentPath())).status).toBe(200);
    },
  );

  it.runIf(isSqliteOrFull(database))('422 for unknown properties and values out of range', async () => {
    for (const [method, path, body] of everyCall(library.id, document.id).filter(([, , body]) => body))
      expect((await call(server, path, { method, body: { ...body, surprise: 1 } })).status).toBe(422);
    for (const body of [
      {},
      { name: '' },
      { name: 'x', chunk_size: 255 },
      { name: 'x', chunk_size: 32_769 },
      { name: 'x', owner_type: 'Org' },
    ])
      expect((await call(server, '/v1/libraries', { body })).status).toBe(422);
    for (const query of [
      'page_size=0',
      'page_size=101',
      'sort_by=secret',
      'sort_order=up',
      'page=-1',
      'filters_attributes=x',
      'filters_attributes=[]',
    ])
      expect((await call(server, `${one()}/documents?${query}`)).status).toBe(422);
    for (const attributes of [{ a: {} }, { a: null }, { a: [[1]] }])
      expect((await call(server, documentPath(), { method: 'PATCH', body: { attributes } })).status).toBe(422);
    expect((await call(server, `${one()}/documents`, { body: {} })).status).toBe(415);
  });

  it.runIf(isSqliteOrFull(database))('413 for a document over the limit', async () => {
    expect((await send(server, library.id, 'x.txt', Buffer.alloc(1024 * 1024 + 1))).status).toBe(413);
  });
});

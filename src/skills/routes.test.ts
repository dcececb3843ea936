import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { documentedRoutes, openApiOf } from '../app.ts';
import { skillCalls } from './test-support.ts';

onEachDatabase('/v2/skills', (database) => {
  let server: TestServer;
  let colleague: string;
  let stranger: string;
  beforeAll(async () => {
    server = await startTestServer(database);
    colleague = await addColleague(server);
    stranger = await addStranger(server);
  });
  const { ask, read, make, addVersion, patch, names, newName } = skillCalls(() => server);

  describe('200: create and read', () => {
    it('creates at version 1 with every field, private unless told otherwise [SKILLS-CREATE] [SKILLS-PRIVATE-DEFAULT]', async () => {
      const name = newName();
      const definition = {
        description: 'Fills in forms.',
        body: '# Forms\n',
        assets: {
          'scripts/fill.sh': { textContent: '#!/bin/sh\necho ok\n', isExecutable: true },
          'logo.png': { rawContent: 'iVBORw0KGgo=' },
        },
      };
      const { status, body, headers } = await ask('', {
        body: { name, definition, notes: 'first', aliases: ['main', 'stable'] },
      });
      expect(status).toBe(200);
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
        name,
        definition: {
          ...definition,
          assets: {
            'scripts/fill.sh': { textContent: '#!/bin/sh\necho ok\n', isExecutable: true },
            'logo.png': { rawContent: 'iVBORw0KGgo=', isExecutable: false },
          },
        },
        version: 1,
        notes: 'first',
        aliases: ['main', 'stable'],
        sharingScope: 'private',
        createdAt: time,
        updatedAt: time,
        latestVersion: 1,
      });
      expect(await read(`/${name}`)).toEqual(body);
      expect(headers.get('etag')).toMatch(/^"/);
    });

    it('reads by id or name, by version, by alias [SKILLS-GET] [SKILLS-GET-VERSION] [SKILLS-GET-ALIAS] [SKILLS-VERSIONS-GET]', async () => {
      const { id, name } = await make({ aliases: ['main'] });
      await addVersion(name, 'second');
      for (const path of [`/${id}`, `/${name}`, `/${name}?version=2`, `/${name}/versions/2`, `/${name}?alias=latest`])
        expect(await read(path), path).toMatchObject({
          id,
          version: 2,
          latestVersion: 2,
          definition: { body: 'second' },
        });
      for (const path of [`/${id}?version=1`, `/${name}?alias=main`, `/${id}/versions/1`])
        expect(await read(path), path).toMatchObject({ id, version: 1, latestVersion: 2, aliases: ['main'] });
    });

    it('keeps a definition of nothing as a definition', async () => {
      const { definition } = await make({ definition: {} });
      expect(definition).toEqual({ description: '', body: '', assets: {} });
    });

    it('takes 8 MiB of files as base64, and gives them back', async () => {
      const bytes = Buffer.alloc(1024 * 1024);
      for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 7919) % 251;
      const rawContent = bytes.toString('base64');
      const assets = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}`, { rawContent }]));
      const { name } = await make({ definition: { assets } });
      const { definition } = await read(`/${name}`);
      const kept = (definition as { assets: Record<string, { rawContent: string }> }).assets;
      expect(Object.keys(kept)).toHaveLength(8);
      expect(Object.values(kept).every((file) => file.rawContent === rawContent)).toBe(true);
    });

    it('narrows the answer to the named fields [SKILLS-GET-FIELDS] [SKILLS-VERSIONS-GET-FIELDS]', async () => {
      const { name } = await make({ definition: { description: 'd', body: 'b', assets: { a: { textContent: 'x' } } } });
      const wanted = { name, definition: { description: 'd' } };
      expect(await read(`/${name}?fields=name,definition.description`)).toEqual(wanted);
      expect(await read(`/${name}/versions/1?fields=name&fields=definition.description`)).toEqual(wanted);
      expect(await read(`/${name}?fields=definition.assets`)).toEqual({
        definition: { assets: { a: { textContent: 'x', isExecutable: false } } },
      });
    });

    it('answers 304 to who has this state, and the state after a change', async () => {
      const { name } = await make();
      const etag = (await ask(`/${name}`)).headers.get('etag') ?? '';
      const again = () => ask(`/${name}`, { headers: { 'if-none-match': etag } });
      expect(await again()).toMatchObject({ status: 304, text: '' });
      await addVersion(name, 'new');
      expect((await again()).status).toBe(200);
    });
  });

  describe('200: versions', () => {
    it('are numbered one by one, and listed without files [SKILLS-VERSIONS-CREATE] [SKILLS-VERSIONS-LIST] [SKILLS-VERSION-NOTES] [SKILLS-VERSION-ALIASES]', async () => {
      const { name } = await make({ definition: { body: '1', assets: { a: { textContent: 'x' } } } });
      expect(await addVersion(name, '2', { notes: 'second', aliases: ['main'] })).toEqual({
        version: 2,
        deduplicated: false,
      });
      expect(await addVersion(name, '3', { notes: null })).toEqual({ version: 3, deduplicated: false });
      const { data } = await read(`/${name}/versions`);
      expect(data).toMatchObject([
        { version: 3, definition: { description: '', body: '3' }, aliases: [] },
        { version: 2, notes: 'second', aliases: ['main'] },
        { version: 1, definition: { description: '', body: '1' } },
      ]);
      for (const version of data as Record<string, unknown>[]) {
        expect(version.definition).not.toHaveProperty('assets');
        expect(version.createdAt).toEqual(expect.any(String));
      }
    });

    it('with an identical definition keep their number; notes and aliases are still applied [SKILLS-DEDUPLICATE] [SKILLS-DEDUPLICATE-APPLIES]', async () => {
      const { name } = await make({ definition: { body: 'x', assets: { a: { textContent: 'hi' } } } });
      await addVersion(name, 'other');
      // The same bytes in another form are the same skill.
      const definition = { description: '', body: 'x', assets: { a: { rawContent: 'aGk=', isExecutable: false } } };
      const { body } = await ask(`/${name}/versions`, { body: { definition, notes: 'again', aliases: ['main'] } });
      expect(body).toEqual({ version: 1, deduplicated: true });
      expect(await read(`/${name}?alias=main`)).toMatchObject({
        version: 1,
        notes: 'again',
        definition: { assets: { a: { textContent: 'hi' } } },
      });
      const executable = { body: 'x', assets: { a: { textContent: 'hi', isExecutable: true } } };
      expect((await ask(`/${name}/versions`, { body: { definition: executable } })).body).toEqual({
        version: 3,
        deduplicated: false,
      });
    });

    it('share the files that did not change, and each has its own that did', async () => {
      const definition = (text: string) => ({
        assets: { same: { textContent: 'same' }, other: { textContent: text } },
      });
      const { id, name } = await make({ definition: definition('one') });
      await ask(`/${name}/versions`, { body: { definition: definition('two') } });
      for (const [version, text] of [
        [1, 'one'],
        [2, 'two'],
      ])
        expect(await read(`/${name}?version=${version}&fields=definition`)).toMatchObject({
          definition: { assets: { same: { textContent: 'same' }, other: { textContent: text } } },
        });
      const { db } = server.platform.database;
      const kept = await db.selectFrom('skill_files').select('sha256').where('skill_id', '=', id).execute();
      expect(kept).toHaveLength(3);
      await ask(`/${name}`, { method: 'DELETE' });
      expect(await db.selectFrom('skill_files').select('sha256').where('skill_id', '=', id).execute()).toEqual([]);
    });

    it('change their notes and aliases, never their definition [SKILLS-VERSIONS-UPDATE] [SKILLS-VERSION-UPDATE-NOTES] [SKILLS-VERSION-UPDATE-ALIASES] [SKILLS-ALIAS-ONE-VERSION]', async () => {
      const { name, definition } = await make({ notes: 'old', aliases: ['a', 'b'] });
      const path = `/${name}/versions/1`;
      expect((await patch(path, { notes: 'new' })).body).toMatchObject({
        version: 1,
        notes: 'new',
        aliases: ['a', 'b'],
        definition,
      });
      expect((await patch(path, { aliases: { values: ['b', 'c'] } })).body).toMatchObject({
        aliases: ['b', 'c'],
        notes: 'new',
      });
      expect((await patch(path, { notes: null })).body).not.toHaveProperty('notes');
      await addVersion(name, 'two', { aliases: ['c'] });
      expect(await read(path)).toMatchObject({ aliases: ['b'] });
      expect(await read(`/${name}?alias=c`)).toMatchObject({ version: 2 });
      expect((await patch(path, { aliases: {} })).body).toMatchObject({ aliases: [] });
      expect((await patch(`/${name}/versions/2`, { aliases: { values: [] } })).body).toMatchObject({ aliases: [] });
    });
  });

  describe('200: list', () => {
    it('shows what the caller may see, newest first, without files [SKILLS-LIST] [SKILLS-LIST-DATA]', async () => {
      const key = await addColleague(server);
      expect(await read('?alias=nobody-has-it')).toEqual({ data: [] });
      const shared = await make({ sharingScope: 'workspace', definition: { assets: { a: { textContent: 'x' } } } });
      const mine = await make({}, key);
      const hidden = await make();
      const seen = await names('?pageSize=100', key);
      expect(seen.slice(0, 2)).toEqual([mine.name, shared.name]);
      expect(seen).not.toContain(hidden.name);
      const { data } = await read('?pageSize=100', key);
      for (const { definition } of data as { definition: object }[])
        expect(Object.keys(definition).sort()).toEqual(['body', 'description']);
    });

    it('goes on page by page without gap or repetition [SKILLS-LIST-PAGE-SIZE] [SKILLS-LIST-CURSOR] [SKILLS-LIST-LAST-PAGE]', async () => {
      const key = await addColleague(server);
      const own: string[] = [];
      for (let i = 0; i < 5; i++) own.push((await make({ aliases: ['paged'] }, key)).name);
      const seen: string[] = [];
      let token = '';
      let pages = 0;
      do {
        const page = await read(
          `?pageSize=2&alias=paged&sort_by=created_at&sort_direction=asc&pageToken=${token}`,
          key,
        );
        seen.push(...(page.data as { name: string }[]).map(({ name }) => name));
        token = (page.nextPageToken as string | undefined) ?? '';
        pages++;
      } while (token !== '');
      expect(pages).toBe(3);
      expect(seen).toEqual(own);
    });

    it('has 20 to a page, 100 at most [SKILLS-PAGE-SIZE-DEFAULT] [SKILLS-PAGE-SIZE-CAP]', async () => {
      const key = await addStranger(server);
      await Promise.all(Array.from({ length: 101 }, () => make({ definition: {} }, key)));
      expect(await names('', key)).toHaveLength(20);
      expect(await names('?pageSize=100000', key)).toHaveLength(100);
    });

    it('with an alias shows only who has it, at that version; with fields only those [SKILLS-LIST-ALIAS] [SKILLS-LIST-FIELDS]', async () => {
      const { name } = await make({ aliases: ['beacon'] });
      await make();
      await addVersion(name, 'two');
      expect(await read('?alias=beacon&fields=name,version,definition.body')).toEqual({
        data: [{ name, version: 1, definition: { body: '# Things\n' } }],
      });
      expect(await read('?alias=beacon&fields=name')).toEqual({ data: [{ name }] });
    });

    it('sorts by name when asked, in both spellings', async () => {
      const key = await addStranger(server);
      for (const name of ['b', 'c', 'a']) await make({ name }, key);
      expect(await names('?sort_by=name', key)).toEqual(['a', 'b', 'c']);
      expect(await names('?sort.field=list_sort_field_name&sort.direction=list_sort_direction_desc', key)).toEqual([
        'c',
        'b',
        'a',
      ]);
    });
  });

  describe('200: share and delete', () => {
    it('sharing shows a skill to the workspace, and only its owner hides it again [SKILLS-UPDATE] [SKILLS-UPDATE-SHARING]', async () => {
      const { name, id } = await make();
      expect((await ask(`/${id}`, { key: colleague })).status).toBe(404);
      expect((await patch(`/${name}`, { sharingScope: 'workspace' })).body).toMatchObject({
        sharingScope: 'workspace',
        version: 1,
        latestVersion: 1,
      });
      expect(await read(`/${name}`, colleague)).toMatchObject({ id });
      expect((await patch(`/${name}`, { sharingScope: null })).body).toMatchObject({ sharingScope: 'workspace' });
      expect((await patch(`/${name}`, { sharingScope: 'private' }, colleague)).status).toBe(403);
      expect((await patch(`/${name}`, { sharingScope: 'private' })).body).toMatchObject({ sharingScope: 'private' });
      expect((await ask(`/${name}`, { key: colleague })).status).toBe(404);
    });

    it('names are unique among the shared and for each owner; the own comes first [SKILLS-NAME-UNIQUE-SHARED] [SKILLS-NAME-UNIQUE-PRIVATE] [SKILLS-NAME-OWN-FIRST] [SKILLS-SHARE-TAKEN] [SKILLS-409-BODY]', async () => {
      const { name, id } = await make();
      const again = (key: string | undefined, sharingScope: string) =>
        ask('', { key, body: { name, definition: {}, sharingScope } });
      expect((await again(undefined, 'private')).status).toBe(409);
      expect((await again(colleague, 'private')).status).toBe(200);
      const shared = await again(colleague, 'workspace');
      expect(shared.status).toBe(200);
      expect(await read(`/${name}`)).toMatchObject({ id });
      const taken = await patch(`/${name}`, { sharingScope: 'workspace' });
      expect(taken).toMatchObject({
        status: 409,
        body: {
          object: 'error',
          type: 'conflict_error',
          param: null,
          code: null,
          message: expect.stringContaining(name),
        },
      });
      expect((await again(undefined, 'workspace')).status).toBe(409);
    });

    it('deleting takes the skill and all its versions [SKILLS-DELETE]', async () => {
      const { name, id } = await make({ aliases: ['main'] });
      expect(await ask(`/${name}`, { method: 'DELETE' })).toMatchObject({ status: 200, body: {} });
      for (const path of [`/${id}`, `/${name}/versions`, `/${id}/versions/1`])
        expect((await ask(path)).status).toBe(404);
      expect((await ask(`/${name}`, { method: 'DELETE' })).status).toBe(404);
    });
  });

  describe('412', () => {
    it('a version, a change and a deletion are refused when somebody else was first', async () => {
      const { name } = await make();
      const headers = { 'if-match': (await ask(`/${name}`)).headers.get('etag') ?? '' };
      const version = (text: string) => ask(`/${name}/versions`, { headers, body: { definition: { body: text } } });
      expect((await version('mine')).status).toBe(200);
      expect(await version('late')).toMatchObject({ status: 412, body: { type: 'conflict_error' } });
      expect((await ask(`/${name}`, { method: 'PATCH', headers, body: { sharingScope: 'workspace' } })).status).toBe(
        412,
      );
      expect((await ask(`/${name}`, { method: 'DELETE', headers })).status).toBe(412);
      expect(await read(`/${name}`)).toMatchObject({ version: 2, sharingScope: 'private' });
    });
  });

  describe('401, 403, 404', () => {
    const operations = (id: string): [string, string, unknown?][] => [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { sharingScope: 'workspace' }],
      ['DELETE', `/${id}`],
      ['GET', `/${id}/versions`],
      ['POST', `/${id}/versions`, { definition: {} }],
      ['GET', `/${id}/versions/1`],
      ['PATCH', `/${id}/versions/1`, { notes: 'x' }],
    ];

    it('a skill of another workspace, and a private one of a colleague, look exactly like a missing one', async () => {
      const { id, name } = await make();
      const missing = '00000000-0000-7000-8000-000000000000';
      for (const key of [stranger, colleague]) {
        for (const [index, [method, path, body]] of [...operations(id), ...operations(name)].entries()) {
          const [, lost = ''] = operations(missing)[index % 7] ?? [];
          const answer = await ask(path, { method, key, body });
          const nothing = await ask(lost, { method, key, body });
          expect(answer.status, path).toBe(404);
          expect(answer.text.replaceAll(id, '?').replaceAll(name, '?')).toBe(nothing.text.replaceAll(missing, '?'));
        }
      }
      expect(await names('?pageSize=100', stranger)).not.toContain(name);
      expect(await read(`/${id}`)).toMatchObject({ sharingScope: 'private', version: 1 });
    });

    it('a version or an alias that is not there is a 404', async () => {
      const { name } = await make();
      for (const path of [`/${name}?version=2`, `/${name}?version=0`, `/${name}?alias=none`, `/${name}/versions/9`])
        expect(await ask(path), path).toMatchObject({ status: 404, body: { type: 'not_found_error' } });
      expect((await patch(`/${name}/versions/2`, { notes: 'x' })).status).toBe(404);
    });

    it('no key is a 401, a role that may not is a 403', async () => {
      const viewer = await addColleague(server, 'observability_viewer');
      const reader = await addColleague(server, 'workflow_executor');
      const { id } = await make({ sharingScope: 'workspace' });
      const all: [string, string, unknown?][] = [
        ['GET', ''],
        ['POST', '', { name: 'x', definition: {} }],
        ...operations(id),
      ];
      for (const [method, path, body] of all) {
        expect(await ask(path, { method, key: '', body })).toMatchObject({
          status: 401,
          body: { detail: 'Unauthorized' },
        });
        expect((await ask(path, { method, key: viewer, body })).status).toBe(403);
        if (method !== 'GET') expect((await ask(path, { method, key: reader, body })).status).toBe(403);
      }
      expect((await ask(`/${id}`, { key: reader })).status).toBe(200);
    });
  });

  describe('400', () => {
    it('version and alias together, a page token that was altered or belongs elsewhere', async () => {
      const { name } = await make({ aliases: ['main'] });
      expect((await ask(`/${name}?version=1&alias=main`)).status).toBe(400);
      await make();
      const { nextPageToken } = await read('?pageSize=1');
      const token = String(nextPageToken);
      for (const altered of [`${token}x`, token.slice(2), 'x.y', 'x'])
        expect((await ask(`?pageSize=1&pageToken=${altered}`)).status, altered).toBe(400);
      expect((await ask(`?pageSize=1&pageToken=${token}`, { key: colleague })).status).toBe(400);
    });
  });

  describe('422', () => {
    it('a missing body, an unknown property, a wrong type [SKILLS-CREATE-BODY] [SKILLS-UPDATE-BODY] [SKILLS-VERSIONS-CREATE-BODY] [SKILLS-VERSIONS-UPDATE-BODY] [SKILLS-UPDATE-CLOSED] [SKILLS-VERSION-CLOSED] [SKILLS-VERSION-UPDATE-CLOSED] [SKILLS-VERSION-DEFINITION]', async () => {
      const { name } = await make();
      const writes: [string, string, object][] = [
        ['POST', '', { name: 'x', definition: {} }],
        ['PATCH', `/${name}`, {}],
        ['POST', `/${name}/versions`, { definition: {} }],
        ['PATCH', `/${name}/versions/1`, {}],
      ];
      for (const [method, path, body] of writes) {
        expect((await ask(path, { method })).status, path).toBe(422);
        const extra = await ask(path, { method, body: { ...body, title: 'x' } });
        expect(extra).toMatchObject({
          status: 422,
          body: { detail: [{ type: 'extra_forbidden', loc: ['body', 'title'] }] },
        });
      }
      expect(await ask(`/${name}/versions`, { body: {} })).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'missing', loc: ['body', 'definition'] }] },
      });
      for (const definition of [
        { title: 'x' },
        { assets: { a: { textContent: 'x', mode: 7 } } },
        null,
        'x',
        { body: 1 },
      ])
        expect((await ask('', { body: { name: newName(), definition } })).status, JSON.stringify(definition)).toBe(422);
    });

    it.each(['', 'A', 'a_b', '-a', 'a-', 'a--b', 'a b', 'ä', 'a'.repeat(65), 'a/b', 'a.b'])(
      'the name %j [SKILLS-NAME-RULE]',
      async (name) => {
        expect(await ask('', { body: { name, definition: {} } })).toMatchObject({
          status: 422,
          body: { detail: [{ loc: ['body', 'name'] }] },
        });
      },
    );

    it('takes every name that the rule allows, also one shaped like an id', async () => {
      for (const name of ['a', '7', 'a-b-c', 'x'.repeat(64), '0198d3a4-1111-7222-8333-444455556666'])
        expect(await make({ name })).toMatchObject({ name });
      expect(await read('/0198d3a4-1111-7222-8333-444455556666')).toMatchObject({ version: 1 });
    });

    it.each(['latest', 'Main', '1st', 'a b', 'a-', '', 'x'.repeat(65)])(
      'the alias %j [SKILLS-ALIAS-RULE] [SKILLS-ALIAS-LATEST]',
      async (alias) => {
        const { name } = await make();
        expect((await ask('', { body: { name: newName(), definition: {}, aliases: [alias] } })).status).toBe(422);
        expect((await ask(`/${name}/versions`, { body: { definition: {}, aliases: [alias] } })).status).toBe(422);
        expect((await patch(`/${name}/versions/1`, { aliases: { values: [alias] } })).status).toBe(422);
      },
    );

    it('a version number that is no int32, in path and query [SKILLS-VERSION-INT32] [SKILLS-PAGE-SIZE-MINIMUM]', async () => {
      const { name } = await make();
      for (const number of ['2147483648', '-2147483649', '1.5', 'x', '', '9'.repeat(40)]) {
        expect((await ask(`/${name}?version=${number}`)).status, number).toBe(422);
        if (number !== '') expect((await ask(`/${name}/versions/${number}`)).status, number).toBe(422);
        expect((await ask(`?pageSize=${number}`)).status, number).toBe(422);
      }
      expect((await ask('?pageSize=0')).status).toBe(422);
    });

    it('an unknown field, with the known ones; files cannot be asked for in a list', async () => {
      const { name } = await make();
      for (const path of [
        `/${name}?fields=nme`,
        `/${name}/versions/1?fields=nme`,
        '?fields=nme',
        '?fields=definition.assets',
      ]) {
        const { status, text } = await ask(path);
        expect(status, path).toBe(422);
        expect(text).toContain('the known fields are');
        expect(text).toContain('definition.description');
      }
      expect((await ask('?limit=1')).status).toBe(422);
    });

    it('every broken rule of a definition at once, each with its place', async () => {
      const definition = {
        description: 'x'.repeat(1025),
        assets: {
          '../a': { textContent: 'x' },
          b: { rawContent: '?' },
          'C:/x': { textContent: '' },
          'SKILL.md': { textContent: '' },
        },
      };
      const { status, body } = await ask('', { body: { name: 'A', definition } });
      expect(status).toBe(422);
      const found = (body as { detail: { loc: string[]; msg: string }[] }).detail.map(({ loc, msg }) => [
        loc.slice(1).join('|'),
        msg.split(':')[0],
      ]);
      expect(found).toEqual([
        ['name', "String should match pattern '^[a-z0-9]+(-[a-z0-9]+)*$'"],
        ['definition|assets|../a', 'Value error, path-parent'],
        ['definition|assets|C:/x', 'Value error, path-drive'],
        ['definition|assets|SKILL.md', 'Value error, path-reserved'],
        ['definition|assets|b', 'Value error, content-base64'],
        ['definition|description', 'Value error, description-length'],
      ]);
    });

    it('text that a database could not keep', async () => {
      for (const definition of [
        { body: 'a\0' },
        { description: '\ud800' },
        { assets: { a: { textContent: '\udc00' } } },
      ])
        expect((await ask('', { body: { name: newName(), definition } })).status).toBe(422);
      expect((await ask('', { body: { name: newName(), definition: {}, notes: 'a\0' } })).status).toBe(422);
      const { definition } = await make({ definition: { assets: { a: { textContent: 'a\0b' } } } });
      expect(definition).toMatchObject({ assets: { a: { textContent: 'a\0b' } } });
    });

    it('a body of 25 MiB is too large', async () => {
      const raw = JSON.stringify({ name: newName(), definition: { body: 'x'.repeat(25 * 1024 * 1024) } });
      expect((await ask('', { raw })).status).toBe(413);
    });
  });

  it('an Idempotency-Key makes one skill of two requests', async () => {
    const headers = { 'idempotency-key': newName() };
    const body = { name: newName(), definition: {} };
    const first = await ask('', { headers, body });
    const second = await ask('', { headers, body });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
  });

  it('the audit log says what happened to a skill, and by whom', async () => {
    const { id, name } = await make();
    await addVersion(name, 'two', { aliases: ['main'] });
    await patch(`/${name}`, { sharingScope: 'workspace' });
    await patch(`/${name}`, { sharingScope: 'private' });
    await patch(`/${name}/versions/1`, { notes: 'n' });
    await ask(`/${name}`, { method: 'DELETE' });
    const { body } = await call(server, '/v1/users/me');
    const { organization } = body as { organization: { id: string } };
    const entries = await server.platform.audit.list(server.platform.database.db, organization.id, {
      limit: 1000,
      target_type: ['SKILL'],
    });
    const own = entries.filter(({ target_metadata }) => target_metadata.id === id);
    expect(own.map(({ event_type }) => event_type)).toEqual([
      'skill.delete',
      'skill.update',
      'skill.unshare',
      'skill.share',
      'skill.version.create',
      'skill.create',
    ]);
    expect(own[4]).toMatchObject({
      event_metadata: { version: '2', aliases: 'main: none → 2' },
      actor_type: 'API_KEY',
    });
  });
});

it('the document marks every operation as beta [SKILLS-OPENAPI-BETA]', () => {
  const { paths } = openApiOf(documentedRoutes()) as { paths: Record<string, Record<string, { tags?: string[] }>> };
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v2/skill'))
    .flatMap(([, item]) => Object.values(item));
  expect(operations).toHaveLength(11);
  expect(operations.every(({ tags }) => tags?.includes('beta.skills'))).toBe(true);
});

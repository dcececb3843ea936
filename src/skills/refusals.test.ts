import { beforeAll, describe, expect, it } from 'vitest';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { skillCalls } from './skills-for-tests.ts';

onSqliteFirst('what /v2/skills refuses', (database) => {
  let server: TestServer;
  let colleague: string;
  let stranger: string;
  beforeAll(async () => {
    server = await startTestServer(database);
    colleague = await addColleague(server);
    stranger = await addStranger(server);
  });
  const { ask, read, make, patch, names, newName } = skillCalls(() => server);

  describe('412', () => {
    it('a version, a change and a deletion are refused when somebody else was first', async () => {
      const { name } = await make();
      const headers = { 'if-match': (await ask(`/${name}`)).headers.get('etag') ?? '' };
      const version = (text: string) => ask(`/${name}/versions`, { headers, body: { definition: { body: text } } });
      expect((await version('mine')).status).toBe(200);
      expect(await version('late')).toMatchObject({
        status: 412,
        body: { type: 'conflict_error', code: 'skill_changed' },
      });
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
      ['GET', `/${id}/alias_moves`],
    ];

    it('a skill of another workspace, and a private one of a colleague, look exactly like a missing one', async () => {
      const { id, name } = await make();
      const missing = '00000000-0000-7000-8000-000000000000';
      for (const key of [stranger, colleague]) {
        for (const [index, [method, path, body]] of [...operations(id), ...operations(name)].entries()) {
          const [, lost = ''] = operations(missing)[index % 8] ?? [];
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
});

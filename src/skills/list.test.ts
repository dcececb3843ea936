import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { skillCalls } from './skills-for-tests.ts';

onEachDatabase('lists, sharing and names of skills', (database) => {
  let server: TestServer;
  let colleague: string;
  beforeAll(async () => {
    server = await startTestServer(database);
    colleague = await addColleague(server);
  });
  const { ask, read, make, addVersion, patch, names } = skillCalls(() => server);

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

    it.runIf(isSqliteOrFull(database))(
      'has 20 to a page, 100 at most [SKILLS-PAGE-SIZE-DEFAULT] [SKILLS-PAGE-SIZE-CAP]',
      async () => {
        const key = await addStranger(server);
        await Promise.all(Array.from({ length: 101 }, () => make({ definition: {} }, key)));
        expect(await names('', key)).toHaveLength(20);
        expect(await names('?pageSize=100000', key)).toHaveLength(100);
      },
    );

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
          code: 'skill_name_taken',
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
});

import { beforeAll, describe, expect, it } from 'vitest';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addColleague } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { documentedRoutes } from '../app.ts';
import { clientOf, text, type Wire } from './prompts-for-tests.ts';

onSqliteFirst('/v2/prompts', (database) => {
  let server: TestServer;
  let colleague: string;
  const client = clientOf(() => server);
  const { made, get, read, patch, addVersion } = client;
  beforeAll(async () => {
    server = await startTestServer(database);
    colleague = await addColleague(server);
  });

  describe('200 for one prompt', () => {
    it('creating answers the new prompt at version 1, private to its owner [PROMPTS-CREATE] [PROMPTS-PRIVATE-DEFAULT]', async () => {
      const name = client.newName();
      const { status, body, headers } = await client.create({
        name,
        ...text('Hi {{who}}', 'who'),
        title: 'Greeting',
        description: 'Says hi',
        notes: 'first',
        aliases: ['staging', 'production'],
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        name,
        definition: { content: 'Hi {{who}}', variables: [{ name: 'who' }] },
        version: 1,
        notes: 'first',
        aliases: ['production', 'staging'],
        sharingScope: 'private',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        updatedAt: expect.any(String),
        latestVersion: 1,
        title: 'Greeting',
        description: 'Says hi',
        createdBy: expect.any(String),
        versionCreatedAt: expect.any(String),
      });
      expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
      expect((await get(`/v2/prompts/${name}`, colleague)).status).toBe(404);
    });

    it('nulls and the unspecified scope of a create are as if they were left out', async () => {
      const { body } = await client.create({
        name: client.newName(),
        ...text('x'),
        title: null,
        description: null,
        notes: null,
        sharingScope: 'sharing_scope_unspecified',
      });
      expect(body).toMatchObject({ sharingScope: 'private', aliases: [] });
      for (const absent of ['title', 'description', 'notes']) expect(body).not.toHaveProperty(absent);
    });

    it('a prompt is read by id and by name, at its newest version [PROMPTS-GET]', async () => {
      const { id, name } = await made();
      await addVersion(name, text('newer'));
      for (const path of [`/v2/prompts/${id}`, `/v2/prompts/${name}`, `/v2/prompts/${id.toUpperCase()}`]) {
        expect(await read(path)).toMatchObject({ id, name, version: 2, definition: { content: 'newer' } });
      }
    });

    it('the same address asked again and again shows each change, its fields, its refusals, and nothing to others', async () => {
      const { name } = await made({ aliases: ['live'] });
      const urls = ['', '?alias=live', '?fields=version,aliases', '?alias=none', '?alias=live&version=1', '?unknown=1'];
      const readAll = (key?: string) => Promise.all(urls.map((query) => get(`/v2/prompts/${name}${query}`, key)));
      const shown = async () => (await readAll()).map(({ status, body }) => [status, (body as Wire).version]);
      for (let again = 0; again < 3; again++) {
        expect(await shown()).toEqual([[200, 1], [200, 1], [200, 1], ...[404, 400, 422].map((no) => [no, undefined])]);
        expect((await readAll(colleague)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 400, 422]);
      }
      expect(await read(`/v2/prompts/${name}?fields=version,aliases`)).toEqual({ version: 1, aliases: ['live'] });
      await addVersion(name, { ...text('two'), aliases: ['live', 'none'] });
      for (let again = 0; again < 2; again++)
        expect((await shown()).slice(0, 4)).toEqual([200, 200, 200, 200].map((ok) => [ok, 2]));
      await client.remove(`/v2/prompts/${name}`);
      expect((await shown())[0]).toEqual([404, undefined]);
    });

    it('version and alias choose what is read, and latest is always the newest [PROMPTS-GET-VERSION] [PROMPTS-GET-ALIAS] [PROMPTS-ALIAS-LATEST]', async () => {
      const { name } = await made({ aliases: ['stable'] });
      await addVersion(name, text('two'));
      expect(await read(`/v2/prompts/${name}?version=1`)).toMatchObject({ version: 1, latestVersion: 2 });
      expect(await read(`/v2/prompts/${name}?alias=stable`)).toMatchObject({ version: 1, aliases: ['stable'] });
      expect(await read(`/v2/prompts/${name}?alias=latest`)).toMatchObject({ version: 2, aliases: [] });
      await addVersion(name, text('three'));
      expect(await read(`/v2/prompts/${name}?alias=latest`)).toMatchObject({ version: 3 });
    });

    it('fields narrows an answer, repeated or joined by commas, with dots into the definition [PROMPTS-GET-FIELDS] [PROMPTS-VERSIONS-GET-FIELDS]', async () => {
      const { id, name } = await made(text('Hi {{a}}', 'a'));
      expect(await read(`/v2/prompts/${name}?fields=id&fields=version`)).toEqual({ id, version: 1 });
      const joined = await read(`/v2/prompts/${name}?fields=name,definition.content`);
      expect(joined).toEqual({ name, definition: { content: 'Hi {{a}}' } });
      const both = await read(`/v2/prompts/${name}/versions/1?fields=definition.content,definition`);
      expect(both).toEqual({ definition: { content: 'Hi {{a}}', variables: [{ name: 'a' }] } });
    });

    it('an update sets, clears and leaves title and description, and makes no version [PROMPTS-UPDATE] [PROMPTS-UPDATE-TITLE] [PROMPTS-UPDATE-DESCRIPTION] [PROMPTS-UPDATE-OMITTED]', async () => {
      const { name, updatedAt } = await made({ title: 'Old', description: 'Kept' });
      const changed = (await patch(`/v2/prompts/${name}`, { title: 'New' })).body as Wire;
      expect(changed).toMatchObject({ title: 'New', description: 'Kept', version: 1, latestVersion: 1 });
      expect(String(changed.updatedAt) > String(updatedAt)).toBe(true);
      const cleared = (await patch(`/v2/prompts/${name}`, { title: null, description: null })).body as Wire;
      expect(cleared).not.toHaveProperty('title');
      expect(cleared).not.toHaveProperty('description');
      expect(await read(`/v2/prompts/${name}`)).toEqual(cleared);
      expect((await patch(`/v2/prompts/${name}`, {})).body).toEqual(cleared);
    });

    it('an update shares and takes back; null leaves the scope [PROMPTS-UPDATE-SHARING]', async () => {
      const { name } = await made();
      const share = (sharingScope: unknown) => patch(`/v2/prompts/${name}`, { sharingScope });
      expect((await share('workspace')).body).toMatchObject({ sharingScope: 'workspace' });
      expect((await get(`/v2/prompts/${name}`, colleague)).status).toBe(200);
      for (const same of [null, 'sharing_scope_unspecified'])
        expect((await share(same)).body).toMatchObject({ sharingScope: 'workspace' });
      expect((await share('private')).body).toMatchObject({ sharingScope: 'private' });
      expect((await get(`/v2/prompts/${name}`, colleague)).status).toBe(404);
    });

    it('deleting answers an empty object, and the prompt is gone with its versions [PROMPTS-DELETE]', async () => {
      const { id, name } = await made();
      expect(await client.remove(`/v2/prompts/${name}`)).toMatchObject({ status: 200, body: {} });
      for (const path of [id, name, `${id}/versions`, `${id}/versions/1`])
        expect((await get(`/v2/prompts/${path}`)).status).toBe(404);
      expect((await client.remove(`/v2/prompts/${name}`)).status).toBe(404);
      const { db } = server.platform.database;
      const left = await db.selectFrom('object_versions').selectAll().where('object_id', '=', id).execute();
      expect(left).toEqual([]);
      expect(await made({ name })).toMatchObject({ version: 1 });
    });
  });

  describe('200 for versions', () => {
    it('numbers go up by one, and all versions are listed, newest first [PROMPTS-VERSIONS-CREATE] [PROMPTS-VERSIONS-LIST] [PROMPTS-VERSION-NOTES]', async () => {
      const { name } = await made(text('one'));
      const second = await addVersion(name, { ...text('two'), notes: 'more', aliases: ['next'] });
      expect(second.body).toEqual({ version: 2, deduplicated: false });
      expect((await addVersion(name, { ...text('three'), notes: null })).body).toMatchObject({ version: 3 });
      const { data } = (await read(`/v2/prompts/${name}/versions`)) as { data: Wire[] };
      expect(data).toEqual([
        { version: 3, ...text('three'), aliases: [], createdAt: expect.any(String) },
        { version: 2, ...text('two'), notes: 'more', aliases: ['next'], createdAt: expect.any(String) },
        { version: 1, ...text('one'), aliases: [], createdAt: expect.any(String) },
      ]);
    });

    it('an identical definition answers the existing number, and notes and aliases are still applied [PROMPTS-DEDUPLICATE] [PROMPTS-DEDUPLICATE-APPLIES]', async () => {
      const { name } = await made({ definition: { content: 'one' } });
      await addVersion(name, text('two'));
      const again = await addVersion(name, { ...text('one'), notes: 'still good', aliases: ['production'] });
      expect(again.body).toEqual({ version: 1, deduplicated: true });
      const production = await read(`/v2/prompts/${name}?alias=production`);
      expect(production).toMatchObject({ version: 1, notes: 'still good', latestVersion: 2 });
    });

    it('an alias given to a new version points to it afterwards, and to no other [PROMPTS-VERSION-ALIASES] [PROMPTS-ALIAS-ONE-VERSION]', async () => {
      const { name } = await made({ aliases: ['production', 'old'] });
      await addVersion(name, { ...text('two'), aliases: ['production', 'production'] });
      expect(await read(`/v2/prompts/${name}/versions/1`)).toMatchObject({ aliases: ['old'] });
      expect(await read(`/v2/prompts/${name}/versions/2`)).toMatchObject({ aliases: ['production'] });
      await patch(`/v2/prompts/${name}/versions/1`, { aliases: { values: ['production'] } });
      expect(await read(`/v2/prompts/${name}?alias=production`)).toMatchObject({ version: 1 });
      expect((await get(`/v2/prompts/${name}?alias=old`)).status).toBe(404);
    });

    it('a version is read by its number, and only its notes and aliases change [PROMPTS-VERSIONS-GET] [PROMPTS-VERSIONS-UPDATE] [PROMPTS-VERSION-UPDATE-NOTES] [PROMPTS-VERSION-UPDATE-ALIASES]', async () => {
      const { name } = await made({ ...text('one'), notes: 'a', aliases: ['x', 'y'] });
      await addVersion(name, text('two'));
      const path = `/v2/prompts/${name}/versions/1`;
      expect(await read(path)).toMatchObject({ version: 1, latestVersion: 2, ...text('one'), notes: 'a' });
      const noted = await patch(path, { notes: 'b' });
      expect(noted.body).toMatchObject({ version: 1, notes: 'b', aliases: ['x', 'y'], ...text('one') });
      expect((await patch(path, { notes: null })).body).not.toHaveProperty('notes');
      expect((await patch(path, { aliases: { values: ['y', 'z'] } })).body).toMatchObject({ aliases: ['y', 'z'] });
      expect((await patch(path, {})).body).toMatchObject({ aliases: ['y', 'z'] });
      expect((await patch(path, { aliases: { values: [] } })).body).toMatchObject({ aliases: [] });
      await patch(path, { aliases: { values: ['z'] } });
      expect((await patch(path, { aliases: {} })).body).toMatchObject({ aliases: [] });
      expect(await read(path)).toMatchObject({ ...text('one'), version: 1 });
    });

    it('how aliases moved is kept [PROMPTS-ALIAS-HISTORY]', async () => {
      const { name } = await made({ aliases: ['main'] });
      await addVersion(name, { ...text('two'), aliases: ['main'] });
      await patch(`/v2/prompts/${name}/versions/2`, { aliases: { values: [] } });
      const { data } = (await read(`/v2/prompts/${name}/alias_moves`)) as { data: Wire[] };
      expect(data).toMatchObject([
        { alias: 'main', fromVersion: 2, toVersion: null },
        { alias: 'main', fromVersion: 1, toVersion: 2 },
        { alias: 'main', fromVersion: null, toVersion: 1, movedBy: expect.any(String), movedAt: expect.any(String) },
      ]);
    });
  });

  describe('the headers of an answer', () => {
    it('tell undeclared and unused variables when a definition is given [PROMPTS-VARIABLES-TOLD]', async () => {
      const name = client.newName();
      const odd = { definition: { content: '{{ a }} {{b}} {{b}} {{"no": 1}} {{}} {{1}}', variables: [{ name: 'c' }] } };
      const created = await client.create({ name, ...odd });
      expect(created.headers.get('tramontane-undeclared-variables')).toBe('a, b');
      expect(created.headers.get('tramontane-unused-variables')).toBe('c');
      const version = await addVersion(name, text('{{prénom}}', 'prénom', 'âge'));
      expect(version.headers.get('tramontane-undeclared-variables')).toBeNull();
      expect(decodeURIComponent(version.headers.get('tramontane-unused-variables') ?? '')).toBe('âge');
      const clean = await addVersion(name, text('{{a}}', 'a'));
      expect(clean.headers.get('tramontane-unused-variables')).toBeNull();
    });

    it('carry an ETag on every read, and who has that state gets a 304 [PROMPTS-ETAG]', async () => {
      const { name } = await made({ aliases: ['main'] });
      for (const path of ['', '?alias=main', '?fields=id', '/versions', '/versions/1']) {
        const first = await get(`/v2/prompts/${name}${path}`);
        const etag = first.headers.get('etag') ?? '';
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const again = await get(`/v2/prompts/${name}${path}`, undefined, { 'if-none-match': known });
          expect([path, again.status, again.text]).toEqual([path, 304, '']);
          expect(again.headers.get('etag')).toBe(etag);
        }
        await patch(`/v2/prompts/${name}/versions/1`, { notes: path });
        const later = await get(`/v2/prompts/${name}${path}`, undefined, { 'if-none-match': etag });
        expect([path, later.status]).toEqual([path, path === '' ? 304 : 200]);
      }
    });
  });

  it('the interface description tags every operation beta [PROMPTS-OPENAPI-BETA]', () => {
    const routes = documentedRoutes().filter(({ path }) => path.startsWith('/v2/prompts'));
    expect(routes.length).toBeGreaterThanOrEqual(9);
    for (const { tags } of routes) expect(tags).toEqual(['beta.prompts']);
  });
});

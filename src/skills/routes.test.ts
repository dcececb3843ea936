import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { documentedRoutes, openApiOf } from '../app.ts';
import { skillCalls } from './skills-for-tests.ts';

onEachDatabase('/v2/skills', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database);
  });
  const { ask, read, make, addVersion, patch, newName } = skillCalls(() => server);

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

    it.runIf(isSqliteOrFull(database))('keeps a definition of nothing as a definition', async () => {
      const { definition } = await make({ definition: {} });
      expect(definition).toEqual({ description: '', body: '', assets: {} });
    });

    it.runIf(isSqliteOrFull(database))('takes 8 MiB of files as base64, and gives them back', async () => {
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

    it.runIf(isSqliteOrFull(database))(
      'narrows the answer to the named fields [SKILLS-GET-FIELDS] [SKILLS-VERSIONS-GET-FIELDS]',
      async () => {
        const { name } = await make({
          definition: { description: 'd', body: 'b', assets: { a: { textContent: 'x' } } },
        });
        const wanted = { name, definition: { description: 'd' } };
        expect(await read(`/${name}?fields=name,definition.description`)).toEqual(wanted);
        expect(await read(`/${name}/versions/1?fields=name&fields=definition.description`)).toEqual(wanted);
        expect(await read(`/${name}?fields=definition.assets`)).toEqual({
          definition: { assets: { a: { textContent: 'x', isExecutable: false } } },
        });
      },
    );

    it.runIf(isSqliteOrFull(database))('answers 304 to who has this state, and the state after a change', async () => {
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

  it('the history of aliases says which moved when, and from where', async () => {
    const { name } = await make({ aliases: ['main'] });
    await addVersion(name, 'two', { aliases: ['main'] });
    await patch(`/${name}/versions/2`, { aliases: {} });
    const { data } = await read(`/${name}/alias_moves`);
    expect(data).toMatchObject([
      { alias: 'main', fromVersion: 2, toVersion: null },
      { alias: 'main', fromVersion: 1, toVersion: 2 },
      { alias: 'main', fromVersion: null, toVersion: 1, movedAt: expect.any(String), movedBy: expect.any(String) },
    ]);
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
    .filter(([path]) => /^\/v\d\/skill/.test(path))
    .flatMap(([, item]) => Object.values(item));
  expect(operations).toHaveLength(12);
  expect(operations.every(({ tags }) => tags?.includes('beta.skills'))).toBe(true);
});

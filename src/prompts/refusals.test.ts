import { beforeAll, describe, expect, it } from 'vitest';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { clientOf, text, type Wire } from './prompts-for-tests.ts';

onSqliteFirst('/v2/prompts refuses', (database) => {
  let server: TestServer;
  let colleague: string;
  let stranger: string;
  const client = clientOf(() => server);
  const { made, get, patch, addVersion } = client;
  beforeAll(async () => {
    server = await startTestServer(database);
    colleague = await addColleague(server);
    stranger = await addStranger(server);
  });

  const attempts = (ref: string, key?: string) =>
    [
      ['get', () => get(`/v2/prompts/${ref}`, key)],
      ['get by alias', () => get(`/v2/prompts/${ref}?alias=main`, key)],
      ['get by version', () => get(`/v2/prompts/${ref}?version=1`, key)],
      ['update', () => patch(`/v2/prompts/${ref}`, { title: 'x' }, key)],
      ['versions', () => get(`/v2/prompts/${ref}/versions`, key)],
      ['create version', () => addVersion(ref, text('x'), key)],
      ['get version', () => get(`/v2/prompts/${ref}/versions/1`, key)],
      ['update version', () => patch(`/v2/prompts/${ref}/versions/1`, { notes: 'x' }, key)],
      ['alias moves', () => get(`/v2/prompts/${ref}/alias_moves`, key)],
      ['model', () => get(`/v2/prompts/${ref}/model`, key)],
      ['set model', () => client.put(`/v2/prompts/${ref}/model`, { model: 'm' }, key)],
      ['delete', () => client.remove(`/v2/prompts/${ref}`, key)],
    ] as const;
  const itemsOf = ({ body }: { body: unknown }) =>
    (body as { detail: { loc: unknown[]; type: string; msg: string }[] }).detail;

  it('401: no key, on every operation', async () => {
    for (const [what, attempt] of attempts('x', 'wrong')) expect([what, (await attempt()).status]).toEqual([what, 401]);
    expect((await get('/v2/prompts', 'wrong')).status).toBe(401);
    expect((await client.create({}, 'wrong')).status).toBe(401);
  });

  it('403: a role that may not read, one that may not write, and taking back what another shared', async () => {
    const billing = await addColleague(server, 'billing');
    const runner = await addColleague(server, 'workflow_executor');
    const { name } = await made({ sharingScope: 'workspace' });
    expect((await get('/v2/prompts', billing)).status).toBe(403);
    expect((await get(`/v2/prompts/${name}`, runner)).status).toBe(200);
    expect((await client.create({ name: 'x', ...text('x') }, runner)).status).toBe(403);
    expect((await patch(`/v2/prompts/${name}`, { sharingScope: 'private' }, colleague)).status).toBe(403);
    expect((await patch(`/v2/prompts/${name}`, { title: 'ours' }, colleague)).status).toBe(200);
  });

  it('404: in the same words whether it is missing, private to another user or in another workspace', async () => {
    const shared = await made({ aliases: ['main'], sharingScope: 'workspace' });
    const hidden = await made({ aliases: ['main'] });
    const cases = [
      ['gone', server.key],
      ['00000000-0000-7000-8000-000000000000', server.key],
      ['%00', server.key],
      [hidden.id, colleague],
      [hidden.name, colleague],
      [hidden.id, stranger],
      [shared.id, stranger],
      [shared.name, stranger],
    ] as const;
    for (const [ref, key] of cases) {
      for (const [what, attempt] of attempts(ref, key)) {
        const { status, body } = await attempt();
        const said = decodeURIComponent(ref);
        expect([what, status, body]).toEqual([
          what,
          404,
          {
            object: 'error',
            message: `No prompt '${said}' was found. Check the id, and that the key belongs to its workspace.`,
            type: 'not_found_error',
            param: null,
            code: 'prompt_not_found',
          },
        ]);
      }
    }
    expect((await get(`/v2/prompts/${shared.id}?alias=main`)).status).toBe(200);
  });

  it('404: a version or an alias that the prompt does not have', async () => {
    const { name } = await made({ aliases: ['main'] });
    for (const path of [
      '?version=2',
      '?version=0',
      '?version=-1',
      '?alias=none',
      '?alias=%00',
      '?alias=ma%00in',
      '/versions/2',
      '/versions/0',
    ])
      expect([path, (await get(`/v2/prompts/${name}${path}`)).status]).toEqual([path, 404]);
    expect((await patch(`/v2/prompts/${name}/versions/9`, { notes: 'x' })).status).toBe(404);
  });

  it('400: version and alias together [PROMPTS-SELECTOR-ONE]', async () => {
    const { name } = await made({ aliases: ['main'] });
    expect((await get(`/v2/prompts/${name}?version=1&alias=main`)).status).toBe(400);
  });

  it('a prompt says who made it and when, and takes only relations that it knows', async () => {
    const { name, createdBy, versionCreatedAt, createdAt } = await made({ sharingScope: 'workspace' });
    expect(createdBy).toMatch(/^[0-9a-f-]{36}$/);
    expect(versionCreatedAt).toBe(createdAt);
    expect((await patch(`/v2/prompts/${name}`, { workspaceRelation: 'owner' })).status).toBe(422);
  });

  describe('409', () => {
    const taken = { object: 'error', type: 'conflict_error', param: null, code: 'prompt_name_taken' };

    it('for a name that is taken, among the shared and among the own [PROMPTS-NAME-UNIQUE-SHARED] [PROMPTS-NAME-UNIQUE-PRIVATE] [PROMPTS-409-BODY]', async () => {
      const [own, shared] = [client.newName(), client.newName()];
      await made({ name: own });
      const again = await client.create({ name: own, ...text('y') });
      expect(again).toMatchObject({ status: 409, body: { ...taken, message: expect.stringContaining(own) } });
      expect((await client.create({ name: own, ...text('y') }, colleague)).status).toBe(200);
      await made({ name: shared, sharingScope: 'workspace' });
      const second = await client.create({ name: shared, ...text('y'), sharingScope: 'workspace' }, colleague);
      expect(second).toMatchObject({ status: 409, body: { ...taken, message: expect.stringContaining(shared) } });
      expect((await client.create({ name: shared, ...text('y'), sharingScope: 'workspace' }, stranger)).status).toBe(
        200,
      );
    });

    it('for sharing into a taken name, and taking back into one [PROMPTS-SHARE-TAKEN]', async () => {
      const name = client.newName();
      const shared = await made({ name, sharingScope: 'workspace' });
      const own = await made({ name }, colleague);
      const share = await patch(`/v2/prompts/${own.id}`, { sharingScope: 'workspace' }, colleague);
      expect(share).toMatchObject({ status: 409, body: taken });
      expect((await get(`/v2/prompts/${own.id}`)).status).toBe(404);
      await made({ name });
      expect((await patch(`/v2/prompts/${shared.id}`, { sharingScope: 'private' })).status).toBe(409);
    });

    it('but a name means the own prompt where there are two [PROMPTS-NAME-OWN-FIRST]', async () => {
      const name = client.newName();
      const shared = await made({ name, sharingScope: 'workspace', aliases: ['main'] });
      expect((await client.read(`/v2/prompts/${name}`, colleague)).id).toBe(shared.id);
      const own = await made({ name }, colleague);
      expect((await client.read(`/v2/prompts/${name}`, colleague)).id).toBe(own.id);
      expect((await client.read(`/v2/prompts/${name}`)).id).toBe(shared.id);
      // The user's own prompt comes first, also if only the shared one has the alias.
      expect((await get(`/v2/prompts/${name}?alias=main`, colleague)).status).toBe(404);
    });
  });

  it('412: a version for a state that somebody else has changed [PROMPTS-IF-MATCH]', async () => {
    const { name } = await made({ sharingScope: 'workspace' });
    const etag = (await get(`/v2/prompts/${name}`)).headers.get('etag') ?? '';
    const first = await addVersion(name, text('mine'), colleague, { 'if-match': etag });
    expect(first.status).toBe(200);
    const late = await addVersion(name, text('yours'), undefined, { 'if-match': etag });
    expect(late).toMatchObject({ status: 412, body: { type: 'conflict_error', code: 'prompt_changed' } });
    const next = first.headers.get('etag') ?? '';
    expect((await addVersion(name, text('yours'), undefined, { 'if-match': `"old", ${next}` })).status).toBe(200);
    expect((await addVersion(name, text('any'), undefined, { 'if-match': '*' })).status).toBe(200);
    for (const tag of ['"x"', `W/${next}`, next])
      expect((await patch(`/v2/prompts/${name}`, { title: 'x' }, undefined, { 'if-match': tag })).status).toBe(412);
  });

  describe('422', () => {
    it('for unknown properties, in every request and at every level [PROMPTS-UPDATE-CLOSED] [PROMPTS-VERSION-CLOSED] [PROMPTS-VERSION-UPDATE-CLOSED]', async () => {
      const { name } = await made();
      const deep = { definition: { content: 'x', extra: 1, variables: [{ name: 'a', extra: 1 }] } };
      for (const [answer, place] of [
        [await client.create({ name: 'x', ...text('x'), extra: 1 }), ['body', 'extra']],
        [await client.create({ name: 'x', ...deep }), ['body', 'definition', 'extra']],
        [await patch(`/v2/prompts/${name}`, { extra: 1 }), ['body', 'extra']],
        [await patch(`/v2/prompts/${name}`, { name: 'other' }), ['body', 'name']],
        [await addVersion(name, { ...text('x'), extra: 1 }), ['body', 'extra']],
        [await addVersion(name, deep), ['body', 'definition', 'variables', 0, 'extra']],
        [await patch(`/v2/prompts/${name}/versions/1`, { definition: {} }), ['body', 'definition']],
        [await patch(`/v2/prompts/${name}/versions/1`, { aliases: { extra: 1 } }), ['body', 'aliases', 'extra']],
        [await client.put(`/v2/prompts/${name}/model`, { model: 'm', extra: 1 }), ['body', 'extra']],
        [await get(`/v2/prompts/${name}?extra=1`), ['query', 'extra']],
        [await get('/v2/prompts?extra=1'), ['query', 'extra']],
        [await get(`/v2/prompts/${name}/versions?pageSize=1`), ['query', 'pageSize']],
      ] as const) {
        expect([place, answer.status]).toEqual([place, 422]);
        expect(itemsOf(answer)).toContainEqual(expect.objectContaining({ type: 'extra_forbidden', loc: place }));
      }
    });

    it('for a missing body or definition [PROMPTS-CREATE-BODY] [PROMPTS-UPDATE-BODY] [PROMPTS-VERSIONS-CREATE-BODY] [PROMPTS-VERSIONS-UPDATE-BODY] [PROMPTS-VERSION-DEFINITION]', async () => {
      const { name } = await made();
      for (const answer of [
        await client.create(undefined as unknown as Wire),
        await patch(`/v2/prompts/${name}`, undefined),
        await addVersion(name, undefined as unknown as Wire),
        await patch(`/v2/prompts/${name}/versions/1`, undefined),
      ])
        expect([answer.status, itemsOf(answer)[0]?.loc]).toEqual([422, ['body']]);
      const bare = await addVersion(name, { notes: 'x' });
      expect([bare.status, itemsOf(bare)[0]]).toMatchObject([422, { type: 'missing', loc: ['body', 'definition'] }]);
    });

    it('for names outside the rule [PROMPTS-NAME-RULE] [PROMPTS-NAME-NOT-UUID]', async () => {
      const wrong = ['', '-a', 'a-', '.a', 'a_', 'a b', 'a/b', 'ä', 'a\0', 'x'.repeat(129)];
      for (const name of [...wrong, '7c9e6679-7425-40de-944b-e07fc1f90ae7', '7C9E6679-7425-40DE-944B-E07FC1F90AE7']) {
        const answer = await client.create({ name, ...text('x') });
        expect([name, answer.status, itemsOf(answer)[0]?.loc]).toEqual([name, 422, ['body', 'name']]);
      }
      for (const name of ['a', 'Z9', 'a.b_c-d', 'x'.repeat(128), '7c9e6679-7425-40de-944b'])
        expect([name, (await client.create({ name, ...text('x') })).status]).toEqual([name, 200]);
    });

    it('for aliases outside the rule, and for latest [PROMPTS-ALIAS-RULE]', async () => {
      const { name } = await made();
      for (const alias of ['', 'A', '1a', 'a-', 'a_', '_a', 'a b', 'a,b', 'x'.repeat(65), 'latest']) {
        const answers = [
          await client.create({ name: 'never', ...text('x'), aliases: [alias] }),
          await addVersion(name, { ...text('x'), aliases: [alias] }),
          await patch(`/v2/prompts/${name}/versions/1`, { aliases: { values: [alias] } }),
        ];
        expect([alias, ...answers.map(({ status }) => status)]).toEqual([alias, 422, 422, 422]);
      }
      expect((await addVersion(name, { ...text('x'), aliases: ['a', 'a-b_c9', 'x'.repeat(64)] })).status).toBe(200);
    });

    it('for numbers that are no int32 and pages under one [PROMPTS-VERSION-INT32] [PROMPTS-PAGE-SIZE-MINIMUM]', async () => {
      const { name } = await made();
      const numbers = ['2147483648', '-2147483649', '99999999999999999999', '1.5', 'one', ''];
      for (const path of [
        ...numbers.map((number) => `/v2/prompts/${name}?version=${number}`),
        ...numbers.slice(0, -1).map((number) => `/v2/prompts/${name}/versions/${number}`),
        ...['0', '-1', ...numbers].map((number) => `/v2/prompts?pageSize=${number}`),
      ])
        expect([path, (await get(path)).status]).toEqual([path, 422]);
      expect((await patch(`/v2/prompts/${name}/versions/2147483648`, {})).status).toBe(422);
      expect((await get(`/v2/prompts/${name}?version=2147483647`)).status).toBe(404);
    });

    it('for an unknown field, with a list of the known ones [PROMPTS-FIELDS-UNKNOWN]', async () => {
      const { name } = await made();
      for (const path of [
        `/v2/prompts/${name}?fields=id,nope`,
        '/v2/prompts?fields=nope',
        `/v2/prompts/${name}/versions/1?fields=`,
      ]) {
        const answer = await get(path);
        expect([path, answer.status]).toEqual([path, 422]);
        expect(itemsOf(answer)[0]?.msg).toMatch(/known fields are .*id.*definition\.content/);
      }
    });

    it('for text that a database cannot keep, and definitions that make no sense', async () => {
      for (const more of [
        { title: 'a\0' },
        { description: '\ud800' },
        { notes: '\0' },
        { title: 'x'.repeat(1001) },
        { sharingScope: 'public' },
        { definition: { content: 1 } },
        { definition: { content: 'x', variables: [{}] } },
        { definition: { content: 'x', variables: [{ name: 'not a name' }] } },
      ])
        expect([more, (await client.create({ name: 'never', ...text('x'), ...more })).status]).toEqual([more, 422]);
      const odd = await made({ definition: { content: 'a\0b\ud800c 😀 {{' } });
      expect(await client.read(`/v2/prompts/${odd.id}`)).toMatchObject({
        definition: { content: 'a\0b\ud800c 😀 {{' },
      });
    });
  });
});

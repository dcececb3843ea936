import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';

const judged = { categories: { pii: true, law: false }, category_scores: { pii: 0.9, law: 0.1 } };
const user = (content: unknown) => ({ role: 'user', content });

onSqliteFirst('moderation by an upstream model', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answerWith(({ body }, response) =>
      json(response, 200, { results: (body.input as string[]).map(() => judged), usage: { prompt_tokens: 5 } }),
    );
    const model = { engine: 'upstream', url: upstream.url, deprecation: '2027-01-01T00:00:00Z' };
    server = await startTestServer(database, {
      file: {
        models: [
          { ...model, id: 'chatty' },
          { ...model, id: 'judge', capabilities: { moderation: true }, upstream_model: 'theirs', price: { prompt: 2 } },
        ],
      },
    });
  });

  const moderate = (body: unknown, key = server.key) => call(server, '/v1/moderations', { body, key });
  const moderateChat = (body: unknown, key = server.key) => call(server, '/v1/chat/moderations', { body, key });

  describe('200', () => {
    it('a text has one result, several have one each, in one request to the model [MODERATIONS-CREATE]', async () => {
      const before = upstream.calls.length;
      const one = await moderate({ model: 'judge', input: 'hello', metadata: { a: 1 } });
      expect(one.status).toBe(200);
      expect(one.body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), model: 'judge', results: [judged] });
      expect(one.headers.get('sunset')).toBeTruthy();
      const two = await moderate({ model: 'judge', input: ['hello', 'again'] });
      expect(two.body).toMatchObject({ results: [judged, judged] });
      expect(upstream.calls.slice(before).map(({ path, body }) => [path, body])).toEqual([
        ['/v1/moderations', { model: 'theirs', input: ['hello'] }],
        ['/v1/moderations', { model: 'theirs', input: ['hello', 'again'] }],
      ]);
    });

    it('of a conversation the last message is judged, of several each [MODERATIONS-CHAT]', async () => {
      const before = upstream.calls.length;
      const talk = [{ role: 'system', content: 'Be kind.' }, user('first'), { role: 'assistant', content: 'second' }];
      expect((await moderateChat({ model: 'judge', input: talk })).body).toMatchObject({ results: [judged] });
      const chunks = [
        user([
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: 'x' },
        ]),
      ];
      const several = await moderateChat({ model: 'judge', input: [talk, chunks] });
      expect(several.body).toMatchObject({ results: [judged, judged] });
      const asked = upstream.calls.slice(before).map(({ body }) => body.input);
      expect(asked).toEqual([['second'], ['second', 'a\n']]);
    });

    it('the names of public samples find the model', async () => {
      for (const model of ['mistral-moderation-latest', 'mistral-moderation-2411', 'mistral-moderation-2603'])
        expect((await moderate({ model, input: 'x' })).body).toMatchObject({ model: 'judge' });
    });

    it("OpenAI's categories come in the names of this API, the larger score counting", async () => {
      upstream.answerWith((_call, response) =>
        json(response, 200, {
          results: [
            {
              flagged: true,
              categories: { hate: false, 'hate/threatening': true, 'self-harm': false, illicit: null, new: false },
              category_scores: { hate: 0.2, 'hate/threatening': 0.6, 'self-harm': 0, illicit: null, new: 0.4 },
            },
          ],
        }),
      );
      const { body } = await moderate({ model: 'judge', input: 'hello' });
      expect((body as { results: unknown }).results).toEqual([
        {
          categories: { hate_and_discrimination: true, violence_and_threats: true, selfharm: false, new: false },
          category_scores: { hate_and_discrimination: 0.6, violence_and_threats: 0.6, selfharm: 0, new: 0.4 },
        },
      ]);
      upstream.answerWith(({ body: asked }, response) =>
        json(response, 200, { results: (asked.input as string[]).map(() => judged), usage: { prompt_tokens: 5 } }),
      );
    });
  });

  describe('400', () => {
    it.each([
      ['no text', []],
      ['an empty text', ['a', ' ']],
      ['513 texts', Array.from({ length: 513 }, () => 'a')],
      ['too many characters', 'a'.repeat(400_001)],
    ])('%s', async (_name, input) => {
      expect(await moderate({ model: 'judge', input })).toMatchObject({
        status: 400,
        body: { object: 'error', type: 'invalid_request_error' },
      });
    });

    it.each([
      ['no message', []],
      ['an empty conversation', [[]]],
      ['a message without text', [user(null)]],
    ])('%s', async (_name, input) => {
      expect(await moderateChat({ model: 'judge', input })).toMatchObject({ status: 400, body: { object: 'error' } });
    });

    it('an unknown model, and one that cannot moderate', async () => {
      for (const [send, input] of [
        [moderate, 'a'],
        [moderateChat, [user('a')]],
      ] as const) {
        expect(await send({ model: 'nobody', input })).toMatchObject({
          status: 400,
          body: {
            type: 'invalid_model',
            code: '1500',
            message: expect.stringMatching(/^Invalid model: nobody\. .* kind: moderation }$/),
          },
        });
        expect(await send({ model: 'chatty', input })).toMatchObject({
          status: 400,
          body: { message: expect.stringContaining("'chatty' cannot moderate") },
        });
      }
    });
  });

  it('401: without a key nothing is judged', async () => {
    for (const send of [moderate, moderateChat])
      expect(await send({ model: 'judge', input: 'a' }, 'tmk_wrong')).toMatchObject({
        status: 401,
        body: { detail: 'Unauthorized' },
      });
  });

  describe('422', () => {
    it.each([
      [{ input: 'a' }, 'missing'],
      [{ model: 'judge' }, 'missing'],
      [{ model: 'judge', input: 'a', extra: 1 }, 'extra_forbidden'],
      [{ model: 'judge', inputs: 'a' }, 'missing'],
    ])('%j on texts', async (body, type) => {
      const answer = await moderate(body);
      expect(answer.status).toBe(422);
      expect((answer.body as { detail: { type: string }[] }).detail.map((item) => item.type)).toContain(type);
    });

    it.each([
      [{ model: 'judge', input: [user('a')], extra: 1 }],
      [{ model: 'judge', input: [{ ...user('a'), extra: 1 }] }],
      [{ model: 'judge', input: [{ role: 'robot', content: 'a' }] }],
      [{ model: 'judge', input: 'a' }],
    ])('%j on conversations', async (body) => {
      expect((await moderateChat(body)).status).toBe(422);
    });
  });

  it('503: a model server that fails is told without its words', async () => {
    upstream.answerWith((_call, response) => json(response, 500, { secret: 'inside' }));
    const answer = await moderate({ model: 'judge', input: 'a' });
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain('inside');
    upstream.answerWith((_call, response) => json(response, 200, { results: [judged] }));
  });

  it('403: the role needs the permission; and what was used is in the ledger with its price', async () => {
    await server.platform.database.transaction(async (tx) => {
      await tx.updateTable('workspace_members').set({ role: 'billing' }).execute();
      await tx.updateTable('organization_members').set({ role: 'member' }).execute();
      await server.platform.keysSignal.raise(tx);
    });
    for (const send of [moderate, moderateChat])
      expect(await send({ model: 'judge', input: 'a' })).toMatchObject({
        status: 403,
        body: { type: 'permission_error', message: expect.stringContaining("'moderation:write'") },
      });
    await server.stop();
    const { db, close } = await database.open();
    const rows = await db
      .selectFrom('usage_records')
      .select(['model', 'status', 'prompt_tokens', 'completion_tokens', 'cost_micros'])
      .where('kind', '=', 'moderation')
      .orderBy('created_at')
      .execute();
    await close();
    expect(rows[0]).toEqual({ model: 'judge', status: 200, prompt_tokens: 5, completion_tokens: 0, cost_micros: 10 });
    expect(rows).toContainEqual(expect.objectContaining({ status: 503, prompt_tokens: 0 }));
  });
});

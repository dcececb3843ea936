import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onSqliteFirst } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { createSignal } from '../kit/db/index.ts';
import { registerClassifier, removeClassifier } from '../models/index.ts';
import { answerVectors, definition } from './classifiers-for-tests.ts';
import type { ClassificationResponse } from './schema/classifications.ts';

const user = (content: unknown) => ({ role: 'user', content });
const options = (...values: string[]) => values.map((value) => ({ value, description: value }));

onSqliteFirst('classifications', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let stranger: string;
  let own: string;

  const ports = () => ({
    database: server.platform.database,
    signal: createSignal(server.platform.database, 'models', Date.now),
    now: Date.now,
  });
  const register = (name: string, workspaceId: string | null, more = definition) =>
    registerClassifier(ports(), { workspaceId, root: 'vectors', name, definition: more, figures: { examples: 9 } });
  const isListed = async (id: string, key = server.key) =>
    ((await call(server, '/v1/models', { key })).body as { data: { id: string }[] }).data.some(
      (card) => card.id === id,
    );
  const classify = async (body: object, key = server.key) => {
    const answer = await call(server, '/v1/classifications', { body: { model: 'topics', ...body }, key });
    return { ...answer, body: answer.body as ClassificationResponse & { message: string } };
  };

  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answerWith((asked, response) => {
      if (asked.path === '/v1/embeddings') return answerVectors(asked, response);
      if (asked.path === '/v1/classifications')
        return json(response, 200, {
          results: [{ theirs: { scores: { a: 0.7, b: 0.3 } } }],
          usage: { prompt_tokens: 3 },
        });
      return json(response, 200, completion('hello'));
    });
    const model = { engine: 'upstream', url: upstream.url };
    server = await startTestServer(database, {
      file: {
        models: [
          { ...model, id: 'chatty' },
          { ...model, id: 'vectors', kind: 'embeddings', price: { prompt: 2 } },
          { ...model, id: 'theirs', kind: 'classification' },
        ],
      },
    });
    stranger = await addStranger(server);
    await register('topics', null);
    const { body } = await call(server, '/v1/users/me');
    own = (await register('mine', (body as { workspace_id?: string }).workspace_id ?? (await workspaceOf()))).id;
    await vi.waitFor(async () => expect([await isListed('topics'), await isListed(own)]).toEqual([true, true]), {
      timeout: 20_000,
    });
  });

  async function workspaceOf(): Promise<string> {
    const { db } = server.platform.database;
    const { id } = await db.selectFrom('workspaces').select('id').orderBy('created_at').executeTakeFirstOrThrow();
    return id;
  }

  describe('200', () => {
    it('scores each text by target and label, in the order of the texts [CLASSIFICATIONS-CREATE]', async () => {
      const { status, body } = await classify({ input: ['my money', 'the parcel', 'a secret'], metadata: { a: 1 } });
      expect(status).toBe(200);
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        model: 'topics',
        results: [
          { topic: { scores: { billing: 0.999665, shipping: 0.000335 } }, marks: { scores: { pii: 0.017986 } } },
          { topic: { scores: { billing: 0.000335, shipping: 0.999665 } }, marks: { scores: { pii: 0.017986 } } },
          { topic: { scores: { billing: 0.5, shipping: 0.5 } }, marks: { scores: { pii: 0.982014 } } },
        ],
      });
    });

    it('scores a conversation as a whole, or several, for the official SDK [CLASSIFICATIONS-CHAT]', async () => {
      const mistral = new Mistral({ apiKey: server.key, serverURL: server.url });
      const one = await mistral.classifiers.classify({ model: 'topics', inputs: 'my money' });
      expect(one.results[0]?.topic?.scores.billing).toBeGreaterThan(0.9);
      const chat = { messages: [{ role: 'user' as const, content: 'Where is my parcel?' }] };
      const said = await mistral.classifiers.classifyChat({ model: 'topics', input: [chat, chat] });
      expect(said.results.map(({ topic }) => topic?.scores.shipping)).toEqual([0.999665, 0.999665]);
      expect(upstream.calls.at(-1)?.body.input).toEqual(['user: Where is my parcel?', 'user: Where is my parcel?']);
    });

    it('the card says what it can do; of a workspace it is fine-tuned, of all a base model', async () => {
      const card = (await call(server, '/v1/models/topics')).body;
      expect(card).toMatchObject({ type: 'base', capabilities: { classification: true, completion_chat: false } });
      expect((await call(server, `/v1/models/${own}`)).body).toMatchObject({ type: 'fine-tuned', root: 'vectors' });
      const changed = await call(server, `/v1/fine_tuning/models/${own}`, { method: 'PATCH', body: { name: 'New' } });
      expect(changed.body).toMatchObject({
        name: 'New',
        model_type: 'classifier',
        classifier_targets: [
          { name: 'topic', labels: ['billing', 'shipping'], weight: 1, loss_function: 'single_class' },
          { name: 'marks', labels: ['pii'], weight: 1, loss_function: 'multi_class' },
        ],
      });
    });

    it('an upstream that classifies is asked for its scores', async () => {
      const { body } = await classify({ model: 'theirs', input: 'x' });
      expect(body.results).toEqual([{ theirs: { scores: { a: 0.7, b: 0.3 } } }]);
      expect(upstream.calls.at(-1)).toMatchObject({
        path: '/v1/classifications',
        body: { model: 'theirs', input: ['x'] },
      });
    });

    it('a classifier that was trained again serves its new weights', async () => {
      const other = { dimensions: 3, targets: [{ ...definition.targets[0]!, labels: ['swapped', 'labels'] }] };
      await register('again', null);
      await vi.waitFor(async () => expect(await isListed('again')).toBe(true), { timeout: 20_000 });
      await register('again', null, other);
      await vi.waitFor(
        async () => {
          const { body } = await classify({ model: 'again', input: 'money' });
          expect(Object.keys(body.results[0]?.topic?.scores ?? {})).toEqual(['swapped', 'labels']);
        },
        { timeout: 20_000 },
      );
      await removeClassifier(ports(), { id: 'again', workspace_id: null });
      await vi.waitFor(async () => expect(await isListed('again')).toBe(false), { timeout: 20_000 });
    });

    it('guardrails and moderation go by labels that name categories', async () => {
      const guarded = (content: string) =>
        call(server, '/v1/chat/completions', {
          body: {
            model: 'chatty',
            messages: [user(content)],
            guardrails: [
              {
                block_on_error: true,
                moderation_llm_v2: {
                  model_name: 'topics',
                  custom_category_thresholds: { pii: 0.5 },
                  ignore_other_categories: true,
                  action: 'block',
                },
              },
            ],
          },
        });
      expect((await guarded('my parcel')).status).toBe(200);
      expect((await guarded('a secret')).status).toBe(403);
      const { body } = await call(server, '/v1/moderations', { body: { model: 'topics', input: 'a secret' } });
      expect(body).toMatchObject({ results: [{ categories: { pii: true }, category_scores: { pii: 0.982014 } }] });
      const unable = await call(server, '/v1/moderations', { body: { model: 'theirs', input: 'a' } });
      expect([unable.status, (unable.body as { message: string }).message]).toEqual([
        400,
        expect.stringContaining("'theirs' cannot moderate"),
      ]);
    });

    it('a judge goes by labels that are its options', async () => {
      const judge = {
        name: 'By topic',
        description: '',
        model_name: 'topics',
        instructions: '',
        tools: [],
        output: { type: 'CLASSIFICATION', options: options('billing', 'shipping') },
      };
      const created = await call(server, '/v1/observability/judges', { body: judge });
      const { id } = created.body as { id: string };
      const judged = await call(server, `/v1/observability/judges/${id}/live-judging`, {
        body: { messages: [user('Where is the parcel?')] },
      });
      expect(judged.body).toEqual({
        answer: 'shipping',
        analysis: 'The classifier topics scored the target topic: shipping 1.00, billing 0.00.',
      });
      const regression = { type: 'REGRESSION', min: 0, min_description: '', max: 1, max_description: '' };
      for (const output of [regression, { type: 'CLASSIFICATION', options: options('billing', 'pii') }]) {
        await call(server, `/v1/observability/judges/${id}`, { method: 'PUT', body: { ...judge, output } });
        const refused = await call(server, `/v1/observability/judges/${id}/live-judging`, {
          body: { messages: [user('x')] },
        });
        expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('cannot judge this')]);
      }
    });

    it('a batch classifies', async () => {
      const requests = [{ custom_id: 'a', body: { input: 'money' } }];
      const job = await call(server, '/v1/batch/jobs', {
        body: { endpoint: '/v1/classifications', model: 'topics', requests },
      });
      const { id } = job.body as { id: string };
      await vi.waitFor(
        async () =>
          expect((await call(server, `/v1/batch/jobs/${id}`)).body).toMatchObject({
            status: 'SUCCESS',
            succeeded_requests: 1,
          }),
        { timeout: 20_000 },
      );
    });

    it('is on the ledger with the tokens of the embedding model', async () => {
      const { db, close } = await database.open();
      await vi.waitFor(
        async () => {
          const rows = await db
            .selectFrom('usage_records')
            .select(['model', 'status', 'prompt_tokens', 'completion_tokens'])
            .where('kind', '=', 'classification')
            .orderBy('created_at')
            .execute();
          expect(rows[0]).toEqual({ model: 'topics', status: 200, prompt_tokens: 21, completion_tokens: 0 });
        },
        { timeout: 20_000 },
      );
      await close();
    });
  });

  describe.runIf(isSqliteOrFull(database))('400', () => {
    it.each([
      ['no text', []],
      ['an empty text', ['a', ' ']],
      ['513 texts', Array.from({ length: 513 }, () => 'a')],
      ['too many characters', 'a'.repeat(400_001)],
    ])('%s', async (_name, input) => {
      const { status, body } = await classify({ input });
      expect([status, body.message]).toEqual([400, expect.stringMatching(/nothing to classify|At most/)]);
    });

    it('a model that is missing, one that cannot, and one of another workspace [CLASSIFICATIONS-UNKNOWN-MODEL]', async () => {
      const missing = await classify({ model: 'nobody', input: 'x' });
      expect(missing).toMatchObject({ status: 400, body: { type: 'invalid_model', code: '1500' } });
      const unable = await classify({ model: 'chatty', input: 'x' });
      expect([unable.status, unable.body.message]).toEqual([400, expect.stringContaining("'chatty' cannot classify")]);
      const foreign = await classify({ model: own, input: 'x' }, stranger);
      expect(foreign).toMatchObject({ status: 400, body: { type: 'invalid_model', code: '1500' } });
      expect((await classify({ input: 'x' }, stranger)).status).toBe(200);
      expect(await isListed(own, stranger)).toBe(false);
    });

    it('a conversation without any text', async () => {
      const body = { model: 'topics', input: { messages: [] } };
      expect((await call(server, '/v1/chat/classifications', { body })).status).toBe(400);
    });
  });

  describe.runIf(isSqliteOrFull(database))('401, 403 and 404', () => {
    it('a wrong key, a role without the permission, and what nobody may change', async () => {
      expect((await classify({ input: 'x' }, 'wrong')).status).toBe(401);
      const viewer = await addColleague(server, 'observability_viewer');
      expect((await classify({ input: 'x' }, viewer)).status).toBe(403);
      expect((await call(server, '/v1/models/topics', { method: 'DELETE' })).status).toBe(403);
      expect((await call(server, `/v1/models/${own}`, { method: 'DELETE', key: stranger })).status).toBe(404);
      expect((await call(server, `/v1/models/${own}`, { method: 'DELETE' })).status).toBe(200);
      expect((await call(server, `/v1/models/${own}`)).status).toBe(404);
    });
  });

  describe.runIf(isSqliteOrFull(database))('422', () => {
    it.each([
      ['/v1/classifications', { model: 'topics', input: 'x', extra: 1 }],
      ['/v1/classifications', { input: 'x' }],
      ['/v1/chat/classifications', { model: 'topics', input: 'x' }],
      ['/v1/chat/classifications', { model: 'topics', input: { messages: [user('x')], extra: 1 } }],
    ])('%s with %j', async (path, body) => {
      expect((await call(server, path, { body })).status).toBe(422);
    });
  });

  describe.runIf(isSqliteOrFull(database))('503', () => {
    it('vectors of another length than at the training are refused', async () => {
      upstream.answerWith((_asked, response) =>
        json(response, 200, { data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens: 1 } }),
      );
      const { status, body } = await classify({ input: 'x' });
      expect([status, body.message]).toEqual([503, expect.stringContaining('vectors of another length')]);
    });
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { startTestServer } from '../../test/support/server.ts';
import { json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { type AdminServer, addOrganization, startAdminServer } from '../admin/admin-for-tests.ts';
import type { ConnectionReport, ManagedModel } from './schema.ts';

const KEY = 'sk-0123456789-secret';
const SECRETS = { TRAMONTANE_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') };

onSqliteFirst('/v1/admin/models', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  let upstream: ScriptedUpstream;
  let count = 0;

  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startAdminServer(database, {
      environment: SECRETS,
      file: { models: [{ id: 'of-the-file', engine: 'upstream', url: upstream.url }], currency: 'EUR' },
    });
    other = await addOrganization(server, 'Elsewhere');
  });
  beforeEach(() => {
    upstream.calls.length = 0;
  });

  const settings = (more: object = {}) => {
    count += 1;
    return {
      id: `stored-${count}`,
      engine: 'upstream',
      kind: 'chat',
      url: upstream.url,
      private_network: true,
      ...more,
    };
  };
  const create = async (more: object = {}) => {
    const made = await server.admin<ManagedModel>('POST', '/models', settings(more));
    expect(made.status, made.text).toBe(201);
    return made.body;
  };
  const chat = (model: string, key = server.key) =>
    call(server, '/v1/chat/completions', { key, body: { model, messages: [{ role: 'user', content: 'Hi' }] } });
  const list = async () => (await server.admin<{ data: ManagedModel[] }>('GET', '/models')).body.data;

  describe('200', () => {
    it('a model is served at once under its id and aliases, with its key, price and upstream name, and gone when deleted', async () => {
      const alias = `fast-${count}`;
      const made = await create({
        aliases: [alias],
        api_key: KEY,
        upstream_model: 'their-name',
        price: { prompt: 2, completion: 4 },
        max_context_length: 1234,
      });
      expect(made).toMatchObject({ source: 'database', problem: null, targets: [{ has_api_key: true }] });
      expect((await chat(alias)).status).toBe(200);
      expect(upstream.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      expect(upstream.calls[0]?.body.model).toBe('their-name');
      expect((await call(server, `/v1/models/${made.id}`)).body).toMatchObject({ max_context_length: 1234 });
      const deleted = await server.admin('DELETE', `/models/${made.id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { id: made.id, deleted: true }]);
      expect((await chat(made.id)).status).toBe(400);
    });

    it('keys are stored encrypted and shown nowhere, and changes are in the audit log', async () => {
      const { id } = await create({ api_key: KEY });
      const rows = await server.platform.database.db.selectFrom('stored_models').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(KEY);
      expect(JSON.stringify(await list())).not.toContain(KEY);
      const { text } = await server.admin('GET', '/audit-logs?event_type=model.create');
      expect(text).toContain(id);
      expect(text).toContain('private_network');
      expect(text).not.toContain(KEY);
    });

    it('a key that is left out of a change stays, but is not sent to another server', async () => {
      const elsewhere = await startUpstream();
      const first = settings({ api_key: KEY });
      await server.admin('POST', '/models', first);
      const { api_key: _, ...without } = first as typeof first & { api_key: string };
      const put = (body: object) => server.admin<ManagedModel>('PUT', `/models/${first.id}`, body);
      expect((await put({ ...without, name: 'Renamed' })).body).toMatchObject({
        name: 'Renamed',
        targets: [{ has_api_key: true }],
      });
      await chat(first.id);
      expect(upstream.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      expect((await put({ ...without, url: elsewhere.url })).body).toMatchObject({ targets: [{ has_api_key: false }] });
      expect((await chat(first.id)).status).toBe(200);
      expect(elsewhere.calls[0]?.headers.authorization).toBeUndefined();
    });

    it('a fallback answers where the server of the model does not', async () => {
      const gone = 'http://127.0.0.1:9/v1';
      const made = await create({ url: gone, fallbacks: [{ url: upstream.url, api_key: KEY }] });
      expect((await chat(made.id)).status).toBe(200);
      expect(upstream.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    });

    it('a model takes as many requests and tokens a minute as its limits say, from all callers together', async () => {
      const limits = { requests_per_minute: 2, tokens_per_minute: null };
      const { id } = await create({ limits });
      expect((await list()).find((model) => model.id === id)).toMatchObject({ limits });
      const statuses = [await chat(id), await chat(id, other.key), await chat(id)].map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 429]);
      const refused = await chat(id, other.key);
      expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
      const made = settings({ id });
      expect((await server.admin('PUT', `/models/${id}`, made)).status).toBe(200);
      expect((await chat(id)).status).toBe(200);
      const few = await create({ limits: { tokens_per_minute: 1 } });
      expect((await chat(few.id)).status).toBe(200);
      expect((await chat(few.id)).status).toBe(429);
    });

    it('the list shows models of the file, of the database and of the program', async () => {
      const { id } = await create();
      expect((await list()).map((model) => [model.id, model.source])).toEqual(
        expect.arrayContaining([
          ['of-the-file', 'file'],
          [id, 'database'],
        ]),
      );
    });

    it('a connection test lists the models with what the server says of them, and explains what fails', async () => {
      const offers = await startServer((_, response) =>
        json(response, 200, {
          data: [
            { id: 'small', max_model_len: 8192 },
            { id: 'priced', context_length: 32000, pricing: { prompt: '0.0000015', completion: '0.000002' } },
            { nothing: true },
          ],
        }),
      );
      const test = async (body: object) =>
        (await server.admin<ConnectionReport>('POST', '/model-servers/test', { private_network: true, ...body })).body;
      expect(await test({ url: offers })).toMatchObject({
        ok: true,
        message: 'Connected: 2 models.',
        models: [
          { id: 'small', max_context_length: 8192, price: null },
          { id: 'priced', max_context_length: 32000, price: { prompt: 1.5, completion: 2 } },
        ],
      });
      const closed = await startServer((_, response) => json(response, 401, {}));
      expect(await test({ url: closed })).toMatchObject({
        ok: false,
        message: expect.stringContaining('asks for a key'),
      });
      expect(await test({ url: 'http://127.0.0.1:9/v1' })).toMatchObject({ ok: false, latency_ms: null });
      expect(await test({ url: offers, private_network: false })).toMatchObject({
        ok: false,
        message: expect.stringContaining('private network'),
      });
    });

    it('a stored row that is broken, shadowed or without its key is explained and harms nothing', async () => {
      const at = new Date().toISOString();
      const { db } = server.platform.database;
      await db
        .insertInto('stored_models')
        .values([
          { id: 'broken', settings: '{', sealed_keys: null, created_at: at, updated_at: at },
          { id: 'of-the-file', settings: '{}', sealed_keys: null, created_at: at, updated_at: at },
        ])
        .execute();
      const { id } = await create({ api_key: KEY });
      const lost = await create({ api_key: KEY });
      await db.updateTable('stored_models').set({ sealed_keys: 's1.x.AAAA' }).where('id', '=', lost.id).execute();
      // Another process of the same database starts in spite of them, and hears of what is added later.
      const again = await startTestServer(database, {
        environment: SECRETS,
        file: { models: [{ id: 'of-the-file', engine: 'upstream', url: upstream.url }] },
      });
      const there = { ...again, key: server.key };
      const ask = (model: string) =>
        call(there, '/v1/chat/completions', { body: { model, messages: [{ role: 'user', content: 'Hi' }] } });
      expect((await ask(id)).status).toBe(200);
      const later = await create();
      await vi.waitFor(async () => expect((await ask(later.id)).status).toBe(200), { timeout: 20_000, interval: 50 });
      await create();
      const problems = new Map((await list()).map((model) => [`${model.id} ${model.source}`, model.problem]));
      expect(problems.get('broken database')).toContain('cannot be read');
      expect(problems.get('of-the-file database')).toContain('configuration file');
      expect(problems.get(`${lost.id} database`)).toContain('Enter it again');
      expect(problems.get(`${id} database`)).toBeNull();
      for (const row of ['broken', 'of-the-file', lost.id]) await server.admin('DELETE', `/models/${row}`);
    });
  });

  it('401: without an admin key nothing is shown', async () => {
    expect((await server.admin('GET', '/models', undefined, 'nonsense')).status).toBe(401);
    expect((await server.admin('POST', '/models', settings(), 'nonsense')).status).toBe(401);
  });

  it('403: an admin of another organization does not operate the server', async () => {
    const { id } = await create();
    for (const [method, path, body] of [
      ['GET', '/models', undefined],
      ['POST', '/models', settings()],
      ['PUT', `/models/${id}`, settings()],
      ['DELETE', `/models/${id}`, undefined],
      ['POST', '/model-servers/test', { url: upstream.url, private_network: true }],
      ['GET', '/model-servers/presets', undefined],
    ] as const)
      expect((await server.admin(method, path, body, other.adminKey)).status, `${method} ${path}`).toBe(403);
    expect((await chat(id, other.key)).status).toBe(200);
  });

  it('404: a model that is not stored can neither be changed nor deleted', async () => {
    expect((await server.admin('PUT', '/models/nothing', settings())).status).toBe(404);
    expect((await server.admin('DELETE', '/models/nothing')).status).toBe(404);
    expect((await server.admin('DELETE', '/models/of-the-file')).status).toBe(404);
  });

  it('409: the id of another model is refused', async () => {
    const { id } = await create();
    expect((await server.admin('POST', '/models', settings({ id }))).status).toBe(409);
    const taken = await server.admin('POST', '/models', settings({ id: 'of-the-file' }));
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('configuration file')]);
  });

  it.each<[string, object, string]>([
    ['an unknown property', { colour: 'red' }, 'colour'],
    ['a limit of nothing', { limits: { requests_per_minute: 0 } }, 'requests_per_minute'],
    ['a private address that was not allowed', { private_network: false }, 'private_network'],
    ['a link-local address', { url: 'http://169.254.169.254/v1' }, 'not even in a private network'],
    ['a fallback that is no address', { fallbacks: [{ url: 'nowhere' }] }, 'fallbacks'],
    ['no address', { url: 'file:///etc/passwd' }, 'url'],
    ['a password in the address', { url: 'https://me:secret@models.example.com/v1' }, 'api_key'],
    ['the id of a fine-tuned model', { id: 'ft:mine' }, 'ft:'],
    ['unknown weights', { engine: 'llama', url: undefined, private_network: undefined, weights: 'nope' }, 'weights'],
    [
      'a path as weights',
      { engine: 'llama', url: undefined, private_network: undefined, weights: '/etc/x' },
      'weights',
    ],
  ])('422: %s', async (_, more, words) => {
    const { status, text } = await server.admin('POST', '/models', settings(more));
    expect([status, text]).toEqual([422, expect.stringContaining(words)]);
  });

  it('a name that resolves to a private address is refused at the connection', async () => {
    const made = await create({ url: upstream.url.replace('127.0.0.1', 'localhost'), private_network: true });
    expect((await chat(made.id)).status).toBe(200);
    const named = { ...settings({ private_network: false }), url: upstream.url.replace('127.0.0.1', 'localhost') };
    expect((await server.admin('POST', '/models', named)).status).toBe(422);
  });
});

async function startServer(answer: Parameters<typeof createServer>[1] & {}): Promise<string> {
  const listening = createServer(answer as never);
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  atEnd(() => void listening.close());
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/v1`;
}

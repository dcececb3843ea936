import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { startWorker, WITHIN } from '../workflows/workflows-for-tests.ts';
import { type Received, type Receiver, startReceiver } from './receive-for-tests.ts';
import type { CreatedNotificationEndpoint, NotificationDeliveries, NotificationEndpoint } from './schema/endpoints.ts';

const PATH = '/v1/notifications/endpoints';
const NOBODY = '00000000-0000-4000-8000-000000000000';

onEachDatabase(PATH, (database) => {
  let server: TestServer;
  let receiver: Receiver;
  let forbidden: Receiver;
  let stranger: string;
  let author: string;
  let viewer: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    forbidden = await startReceiver();
    server = await startTestServer(database, { file: { outbound: { allow: [receiver.place] } } });
    stranger = await addStranger(server);
    author = await addColleague(server, 'dev');
    viewer = await addColleague(server, 'workflow_executor');
    await startWorker(server, { workflows: { quick: async (_, input) => input }, steps: {} });
  });
  beforeEach(() => answerWith((_, response) => void response.writeHead(204).end()));

  async function create(
    more: object = {},
    key = server.key,
  ): Promise<CreatedNotificationEndpoint & { secret: string }> {
    const url = `${receiver.url}/${Math.random().toString(36).slice(2)}`;
    const answer = await call(server, PATH, { body: { url, ...more }, key });
    expect(answer.status, answer.text).toBe(201);
    return answer.body as never;
  }
  const at = ({ url }: NotificationEndpoint): Received[] =>
    receiver.received.filter(({ path }) => path === new URL(url).pathname);
  const deliveriesOf = async ({ id }: { id: string }, query = '') =>
    (await call(server, `${PATH}/${id}/deliveries${query}`)).body as NotificationDeliveries;
  const post = (path: string, key = server.key) => call(server, `${PATH}/${path}`, { method: 'POST', key });
  const read = async ({ id }: { id: string }) => (await call(server, `${PATH}/${id}`)).body as NotificationEndpoint;
  const lastOf = async (endpoint: { id: string }) => (await deliveriesOf(endpoint)).data[0];
  /** Retries wait for seconds and more. */
  const retryNow = () =>
    server.platform.database.db
      .updateTable('tasks')
      .set({ run_at_ms: 1, due_ms: 1 })
      .where('queue', '=', 'notification-deliveries')
      .where('state', '=', 'delayed')
      .execute();
  const afterRetries = <T>(read: () => Promise<T>) =>
    expect.poll(async () => {
      await retryNow();
      return read();
    }, WITHIN);

  /** Requests to the slow endpoint hang while all other tests run, because giving it up takes ten seconds. */
  const hanging: ServerResponse[] = [];
  let slow: NotificationEndpoint | undefined;
  let isHanging = true;
  const answerWith: Receiver['answerWith'] = (answer) =>
    receiver.answerWith((received, response) => {
      if (isHanging && slow && received.path === new URL(slow.url).pathname) hanging.push(response);
      else answer(received, response);
    });

  describe('200', () => {
    it('a receiver that hangs does not keep others waiting', async () => {
      const [hung, quick] = [await create(), await create()];
      slow = hung;
      for (let sent = 0; sent < 8; sent++) await post(`${hung.id}/test`);
      const before = performance.now();
      await post(`${quick.id}/test`);
      await expect.poll(() => at(quick).length, WITHIN).toBe(1);
      expect(performance.now() - before).toBeLessThan(8000);
      expect(at(hung).length).toBeLessThanOrEqual(2);
    });

    it('an endpoint is created with a secret that is shown once, changed, listed and deleted', async () => {
      const { secret, ...endpoint } = await create({ event_types: ['key.created'], description: 'Ours' });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(endpoint).toMatchObject({ covers: 'workspace', status: 'enabled', event_types: ['key.created'] });
      const shown = await call(server, `${PATH}/${endpoint.id}`);
      expect(shown.body).toEqual(endpoint);
      expect((await call(server, PATH)).text).not.toContain(secret);
      const stored = await server.platform.database.db.selectFrom('notification_endpoints').selectAll().execute();
      expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
      const changed = await call(server, `${PATH}/${endpoint.id}`, {
        method: 'PATCH',
        body: { event_types: null, status: 'disabled' },
      });
      expect(changed.body).toMatchObject({ event_types: null, status: 'disabled', description: 'Ours' });
      expect(await read(endpoint)).toEqual(changed.body);
      expect((await call(server, `${PATH}/${endpoint.id}`, { method: 'DELETE' })).status).toBe(204);
      expect((await call(server, `${PATH}/${endpoint.id}`)).status).toBe(404);
      expect(server.logs.join('')).not.toContain(secret.slice(6));
      const audited = await server.platform.database.db.selectFrom('audit_logs').select('event_type').execute();
      expect(audited.map(({ event_type }) => event_type)).toEqual(
        expect.arrayContaining(['create', 'update', 'delete'].map((deed) => `notification_endpoint.${deed}`)),
      );
    });

    it('the published verifier accepts a test message, and no changed one', async () => {
      const endpoint = await create();
      const sent = await post(`${endpoint.id}/test`);
      expect(sent).toMatchObject({ status: 201, body: { event_type: 'notification.test', status: 'pending' } });
      await expect.poll(() => at(endpoint).length, WITHIN).toBe(1);
      const [message] = at(endpoint) as [Received];
      const headers = message.headers as Record<string, string>;
      expect(new Webhook(endpoint.secret).verify(message.body, headers)).toMatchObject({
        type: 'notification.test',
        data: { endpoint_id: endpoint.id, workspace_id: endpoint.workspace_id },
      });
      expect(headers['webhook-id']).toBe((sent.body as { message_id: string }).message_id);
      expect(() => new Webhook(endpoint.secret).verify(message.body.replace('test', 'tost'), headers)).toThrow();
      await expect.poll(async () => (await lastOf(endpoint))?.status, WITHIN).toBe('delivered');
      expect(await lastOf(endpoint)).toMatchObject({ attempts: 1, response_status: 204, error: null });
    });

    it('after a rotation both secrets verify, and after a day only the new one', async () => {
      const endpoint = await create();
      const { secret } = (await post(`${endpoint.id}/rotate-secret`)).body as { secret: string };
      await post(`${endpoint.id}/test`);
      await expect.poll(() => at(endpoint).length, WITHIN).toBe(1);
      const verify = (key: string, { body, headers }: Received) => new Webhook(key).verify(body, headers as never);
      const [first] = at(endpoint) as [Received];
      for (const key of [secret, endpoint.secret]) expect(() => verify(key, first)).not.toThrow();
      await server.platform.database.db
        .updateTable('notification_endpoints')
        .set({ previous_until_ms: Date.now() - 1 })
        .where('id', '=', endpoint.id)
        .execute();
      await post(`${endpoint.id}/test`);
      await expect.poll(() => at(endpoint).length, WITHIN).toBe(2);
      const second = at(endpoint)[1] as Received;
      expect(() => verify(secret, second)).not.toThrow();
      expect(() => verify(endpoint.secret, second)).toThrow();
    });

    it('what happens is told to those who listen to it, once, with ids and states only', async () => {
      const endpoint = await create({ event_types: ['execution.ended', 'key.created'] });
      const other = await create({ event_types: ['batch.finished'] });
      const execution = await call(server, '/v1/workflows/quick/execute', { body: { input: { private: 'words' } } });
      const { execution_id } = execution.body as { execution_id: string };
      await addColleague(server);
      await expect.poll(() => at(endpoint).length, WITHIN).toBe(2);
      const messages = at(endpoint).map(({ body }) => JSON.parse(body) as { type: string; data: object });
      expect(messages).toContainEqual({
        type: 'execution.ended',
        timestamp: expect.any(String),
        data: expect.objectContaining({ execution_id, status: 'COMPLETED', workflow_name: 'quick' }),
      });
      expect(messages.map(({ type }) => type).sort()).toEqual(['execution.ended', 'key.created']);
      expect(JSON.stringify(messages)).not.toContain('words');
      expect(at(other)).toEqual([]);
      const ids = at(endpoint).map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).toBe(2);
    });

    it('a failed message is tried again, listed, filtered and replayed under its id', async () => {
      const endpoint = await create();
      answerWith((_, response) => void response.writeHead(500).end('no'));
      await post(`${endpoint.id}/test`);
      await expect.poll(async () => (await lastOf(endpoint))?.attempts, WITHIN).toBe(1);
      expect(await lastOf(endpoint)).toMatchObject({
        status: 'pending',
        response_status: 500,
        error: 'The receiver answered with status 500.',
        next_attempt_at: expect.any(String),
      });
      expect((await read(endpoint)).failing_since).not.toBeNull();
      const { id, message_id } = (await lastOf(endpoint)) as { id: string; message_id: string };
      expect((await post(`${endpoint.id}/deliveries/${id}/replay`)).status).toBe(409);
      answerWith((_, response) => void response.writeHead(200).end());
      await afterRetries(async () => (await lastOf(endpoint))?.status).toBe('delivered');
      expect(await read(endpoint)).toMatchObject({ failing_since: null });
      const before = at(endpoint).length;
      expect((await post(`${endpoint.id}/deliveries/${id}/replay`)).body).toMatchObject({
        status: 'pending',
        message_id,
      });
      await expect.poll(() => at(endpoint).length, WITHIN).toBe(before + 1);
      expect(new Set(at(endpoint).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      await expect.poll(async () => (await lastOf(endpoint))?.status, WITHIN).toBe('delivered');
      await post(`${endpoint.id}/test`);
      const page = await deliveriesOf(endpoint, '?page_size=1');
      expect(page.data).toHaveLength(1);
      const rest = await deliveriesOf(endpoint, `?page_size=1&page_token=${page.next_page_token}`);
      expect(rest.data.map((one) => one.id)).toEqual([id]);
      expect(rest.next_page_token).toBeNull();
      expect((await deliveriesOf(endpoint, '?status=failed')).data).toEqual([]);
    });

    it('a receiver that asks for time gets it', async () => {
      const endpoint = await create();
      receiver.answerWith((_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end());
      await post(`${endpoint.id}/test`);
      await expect.poll(async () => (await lastOf(endpoint))?.attempts, WITHIN).toBe(1);
      const next = Date.parse((await lastOf(endpoint))?.next_attempt_at ?? '');
      expect(next - Date.now()).toBeGreaterThan(3500 * 1000);
      expect(next - Date.now()).toBeLessThan(4000 * 1000);
    });

    it('redirects are not followed, and addresses that are not public are not reached', async () => {
      const endpoint = await create();
      answerWith((_, response) => void response.writeHead(307, { location: forbidden.url }).end());
      await post(`${endpoint.id}/test`);
      await expect.poll(async () => (await lastOf(endpoint))?.error, WITHIN).toContain('redirects');
      const { db } = server.platform.database;
      await db
        .updateTable('notification_endpoints')
        .set({ url: forbidden.url })
        .where('id', '=', endpoint.id)
        .execute();
      await post(`${endpoint.id}/test`);
      await expect.poll(async () => (await lastOf(endpoint))?.error, WITHIN).toContain('is not allowed');
      expect(forbidden.received).toEqual([]);
    });

    it('an endpoint that failed for a day, or says that it is gone, is disabled, shown and audited', async () => {
      const { db } = server.platform.database;
      const [failing, gone] = [await create(), await create()];
      answerWith(({ path }, response) => {
        response.writeHead(path === new URL(gone.url).pathname ? 410 : 503).end();
      });
      await post(`${gone.id}/test`);
      await expect.poll(async () => (await read(gone)).status, WITHIN).toBe('disabled');
      expect(await lastOf(gone)).toMatchObject({ status: 'failed', attempts: 1 });
      await post(`${failing.id}/test`);
      await expect.poll(async () => (await lastOf(failing))?.attempts, WITHIN).toBe(1);
      await db
        .updateTable('notification_deliveries')
        .set({ attempts: 10 })
        .where('endpoint_id', '=', failing.id)
        .execute();
      await db
        .updateTable('notification_endpoints')
        .set({ failing_since_ms: Date.now() - 25 * 60 * 60 * 1000 })
        .where('id', '=', failing.id)
        .execute();
      await afterRetries(async () => (await read(failing)).status).toBe('disabled');
      expect(await read(failing)).toMatchObject({ disabled_reason: expect.stringContaining('503') });
      expect(await lastOf(failing)).toMatchObject({ status: 'failed', attempts: 11, next_attempt_at: null });
      expect((await post(`${failing.id}/test`)).status).toBe(409);
      const audited = await db
        .selectFrom('audit_logs')
        .select('event_metadata')
        .where('event_type', '=', 'notification_endpoint.disable')
        .execute();
      expect(audited).toHaveLength(2);
      answerWith((_, response) => void response.writeHead(200).end());
      const enabled = await call(server, `${PATH}/${failing.id}`, { method: 'PATCH', body: { status: 'enabled' } });
      expect(enabled.body).toMatchObject({ status: 'enabled', disabled_reason: null, failing_since: null });
      const { id } = (await lastOf(failing)) as { id: string };
      await post(`${failing.id}/deliveries/${id}/replay`);
      await expect.poll(async () => (await lastOf(failing))?.status, WITHIN).toBe('delivered');
    });

    it('an endpoint whose creator lost the permission is disabled', async () => {
      const key = await addColleague(server, 'dev');
      const endpoint = await create({}, key);
      await server.platform.database.transaction(async (tx) => {
        await tx
          .updateTable('workspace_members')
          .set({ role: 'workflow_executor' })
          .where('user_id', '=', endpoint.creator_id)
          .execute();
        server.platform.keysSignal.raise(tx);
      });
      await post(`${endpoint.id}/test`);
      await expect.poll(async () => (await read(endpoint)).status, WITHIN).toBe('disabled');
      expect(at(endpoint)).toEqual([]);
    });
  });

  it.runIf(isSqliteOrFull(database))('401 and 403: no key, and a role or a reach that is not allowed', async () => {
    expect((await call(server, PATH, { key: 'wrong' })).status).toBe(401);
    expect((await call(server, PATH, { key: viewer })).status).toBe(403);
    const body = { url: receiver.url, covers: 'organization' };
    expect((await call(server, PATH, { key: author, body })).status).toBe(403);
    const whole = await create({ covers: 'organization' });
    for (const method of ['PATCH', 'DELETE'])
      expect(
        (await call(server, `${PATH}/${whole.id}`, { key: author, method, ...(method === 'PATCH' && { body: {} }) }))
          .status,
      ).toBe(403);
    await call(server, `${PATH}/${whole.id}`, { method: 'DELETE' });
  });

  it.runIf(isSqliteOrFull(database))('404: an id of another organization is an unknown one', async () => {
    const endpoint = await create();
    await post(`${endpoint.id}/test`);
    const delivery = await lastOf(endpoint);
    for (const [method, path] of [
      ['GET', endpoint.id],
      ['DELETE', endpoint.id],
      ['GET', `${endpoint.id}/deliveries`],
      ['POST', `${endpoint.id}/test`],
      ['POST', `${endpoint.id}/rotate-secret`],
      ['POST', `${endpoint.id}/deliveries/${delivery?.id}/replay`],
    ] as const) {
      const foreign = await call(server, `${PATH}/${path}`, { key: stranger, method });
      const unknown = await call(server, `${PATH}/${path.replace(endpoint.id, NOBODY)}`, { method });
      expect(foreign.status, path).toBe(404);
      expect(foreign.text.replaceAll(endpoint.id, NOBODY)).toBe(unknown.text);
    }
    const patched = await call(server, `${PATH}/${endpoint.id}`, { key: stranger, method: 'PATCH', body: {} });
    expect(patched.status).toBe(404);
    expect((await post(`${endpoint.id}/deliveries/${NOBODY}/replay`)).status).toBe(404);
  });

  it.runIf(isSqliteOrFull(database))('a slow receiver is given up in time', async () => {
    const hung = slow as NotificationEndpoint;
    await expect
      .poll(async () => (await deliveriesOf(hung)).data.map(({ error }) => error).join(), { ...WITHIN, interval: 500 })
      .toContain('did not answer within');
    isHanging = false;
    for (const response of hanging) response.destroy();
  });

  it.runIf(isSqliteOrFull(database)).each<[string, object]>([
    ['an unknown property', { url: 'https://example.com', colour: 'red' }],
    ['no address', {}],
    ['no web address', { url: 'ftp://example.com' }],
    ['a password in the address', { url: 'https://me:secret@example.com' }],
    ['a private address', { url: 'http://10.0.0.1/hook' }],
    ['a name of the local network', { url: 'http://intranet/hook' }],
    ['an unknown kind', { url: 'https://example.com', event_types: ['weather'] }],
    ['an empty list of kinds', { url: 'https://example.com', event_types: [] }],
  ])('422: %s', async (_, body) => {
    expect((await call(server, PATH, { body })).status).toBe(422);
  });
});

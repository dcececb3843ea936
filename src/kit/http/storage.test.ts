import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { refuseWrites } from '../../../test/support/refuse-writes.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { startUpstream } from '../../../test/support/upstream.ts';
import { MODEL, startConversing } from '../../conversations/conversations-for-tests.ts';

const chat = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] };
const newPrompt = () => ({ name: `p-${randomUUID()}`, definition: { content: 'Hi' } });

describe('a server whose disk takes no writes', () => {
  let server: TestServer;
  beforeAll(async () => {
    const upstream = await startUpstream();
    const capabilities = { completion_chat: true };
    const model = { id: MODEL, engine: 'upstream', url: upstream.url, upstream_model: 'm', capabilities } as const;
    server = await startTestServer(sqliteForTests(), {
      file: { models: [model], limits: { workspace: { requests_per_second: 2 } } } as never,
    });
  });
  afterEach(() => refuseWrites(server.platform.database, false));
  const refuse = () => refuseWrites(server.platform.database, true);

  it('refuses them with a 503 that says what to do, goes on reading, and takes them again without a restart', async () => {
    const before = newPrompt();
    expect((await call(server, '/v2/prompts', { body: before })).status).toBe(200);
    await refuse();
    const refused = await call(server, '/v2/prompts', { body: newPrompt() });
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ object: 'error', type: 'server_error' });
    expect((refused.body as { message: string }).message).toMatch(/may not be written.*Ask the operator/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(server, `/v2/prompts/${before.name}`)).status).toBe(200);
    await refuseWrites(server.platform.database, false);
    expect((await call(server, '/v2/prompts', { body: newPrompt() })).status).toBe(200);
  });

  it('tells it at /readyz until a write succeeds again', async () => {
    expect((await call(server, '/readyz')).status).toBe(200);
    await refuse();
    await call(server, '/v2/prompts', { body: newPrompt() });
    const told = await call(server, '/readyz');
    expect(told.status).toBe(503);
    expect(told.text).toContain('its disk may not be written. Make it writable.');
    await refuseWrites(server.platform.database, false);
    expect((await call(server, '/readyz')).status).toBe(200);
  });

  it('still answers from models, within their limits', async () => {
    await refuse();
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await call(server, '/v1/chat/completions', { body: chat })).status);
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses).toContain(429);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  it('says the same below administration in its own words', async () => {
    const { value: key } = await server.platform.tenants.keys.create({ kind: 'admin', name: 'a' });
    await refuse();
    const group = await call({ ...server, key }, '/v1/admin/user-groups', { body: { name: 'g' } });
    expect(group.status, group.text).toBe(503);
    expect(group.body).toEqual({ detail: expect.stringContaining('may not be written') });
  });
});

it('a conversation whose answer cannot be kept is refused with a 503, and stands whole or not at all', async () => {
  const { server, says } = await startConversing(sqliteForTests());
  const { database } = server.platform;
  const made = await call(server, '/v1/conversations', { body: { model: MODEL, inputs: 'one' } });
  const { conversation_id: id } = made.body as { conversation_id: string };
  const { promise: until, resolve } = Promise.withResolvers<void>();
  says({ words: ['never ', 'kept'], until });
  const headers = { 'idempotency-key': randomUUID() };
  const append = () => call(server, `/v1/conversations/${id}`, { body: { inputs: 'two' }, headers });
  const first = append();
  await expect
    .poll(async () => (await database.db.selectFrom('conversation_runs').selectAll().execute()).length)
    .toBe(2);
  await refuseWrites(database, true);
  resolve();
  expect((await first).status).toBe(503);
  await refuseWrites(database, false);
  // The same key finds the run, which goes on by itself.
  expect((await append()).status).toBe(200);
  const { entries } = (await call(server, `/v1/conversations/${id}/history`)).body as {
    entries: { content: string }[];
  };
  expect(entries.map(({ content }) => content)).toEqual(['one', 'Hello there', 'two', 'Hello there']);
});

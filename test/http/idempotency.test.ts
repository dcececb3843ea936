import { beforeAll, expect, it } from 'vitest';
import { createIdempotency } from '../../src/kit/http/index.ts';
import { noteRoutes } from '../fixtures/notes.ts';
import { call } from '../support/call.ts';
import { onEachDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

onEachDatabase('Idempotency-Key', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database, { extraRoutes: noteRoutes });
  });

  const create = (key: string, text: string) =>
    call(server, '/v1/notes', { body: { text }, headers: { 'idempotency-key': key } });
  const count = async (text: string) => {
    const rows = await server.platform.database.db.selectFrom('notes').selectAll().where('text', '=', text).execute();
    return rows.length;
  };

  it('gives the same answer again and creates nothing new', async () => {
    const first = await create('one', 'once');
    const second = await create('one', 'once');
    expect(first.status).toBe(201);
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await count('once')).toBe(1);
  });

  it('with another body under the same key is a 422 that names the header', async () => {
    await create('two', 'before');
    expect(await create('two', 'after')).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'idempotency_key_reused', loc: ['header', 'Idempotency-Key'] }] },
    });
    expect(await count('after')).toBe(0);
  });

  it('creates one object for twenty requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('race', 'raced')));
    expect(await count('raced')).toBe(1);
    const bodies = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
    expect(bodies.size).toBe(1);
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect((await create('race', 'raced')).status).toBe(201);
  });

  it('is not spent by a request that was refused', async () => {
    const refused = await call(server, '/v1/notes', { body: { text: '' }, headers: { 'idempotency-key': 'refused' } });
    expect(refused.status).toBe(422);
    expect((await create('refused', 'now valid')).status).toBe(201);
  });

  it('whose answer was lost in a crash does not create a second object', async () => {
    await create('crashed', 'survivor');
    await server.platform.database.db
      .updateTable('idempotency_keys')
      .set({ status: null, response: null })
      .where('key', '=', 'crashed')
      .execute();
    expect(await create('crashed', 'survivor')).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect(await count('survivor')).toBe(1);
  });

  it('is forgotten after 24 hours', async () => {
    await create('old', 'aged');
    const tomorrow = Date.now() + 24 * 60 * 60 * 1000 + 1000;
    expect(await createIdempotency(server.platform.database, () => tomorrow).sweep()).toBeGreaterThan(0);
    await create('old', 'aged');
    expect(await count('aged')).toBe(2);
  });

  it('must be a sensible value', async () => {
    expect((await create('x'.repeat(256), 'long')).status).toBe(400);
  });
});

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { noteRoutes } from '../../../test/fixtures/notes.ts';
import { type Answer, call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import type { Platform } from '../../compose/open-platform.ts';
import { ApiError, createIdempotency, route } from './index.ts';

onEachDatabase('Idempotency-Key', (database) => {
  let server: TestServer;
  let stumble: () => Promise<void>;
  let linger: Promise<void>;
  beforeAll(async () => {
    const stumbling = ({ database: { transaction } }: Platform) =>
      route({
        method: 'POST',
        path: '/v1/stumble',
        operationId: 'stumble',
        summary: 'Look around, then work',
        permission: 'identity:read',
        creates: true,
        body: z.strictObject({}),
        response: z.object({ made: z.string() }),
        async handler() {
          await stumble();
          return transaction(async () => ({ made: randomUUID() }));
        },
      });
    const lingering = ({ database: { transaction } }: Platform) =>
      route({
        method: 'POST',
        path: '/v1/linger',
        operationId: 'linger',
        summary: 'Work, then take some time',
        permission: 'identity:read',
        creates: true,
        body: z.strictObject({}),
        response: z.object({ made: z.string() }),
        async handler() {
          const made = await transaction(async () => randomUUID());
          await linger;
          return { made };
        },
      });
    const extraRoutes = (platform: Platform) => [...noteRoutes(platform), stumbling(platform), lingering(platform)];
    server = await startTestServer(database, { extraRoutes });
  });

  const create = (key: string, text: string) =>
    call(server, '/v1/notes', { body: { text }, headers: { 'idempotency-key': key } });
  const ofKey = (
    key: string,
    change: Partial<{ status: number | null; response: string | null; created_ms: number }>,
  ) => server.platform.database.db.updateTable('idempotency_keys').set(change).where('key', '=', key).execute();
  /** As if the process had died before it stored the answer. */
  const unanswer = (key: string) => ofKey(key, { status: null, response: null, created_ms: Date.now() });
  const find = (key: string) =>
    server.platform.database.db.selectFrom('idempotency_keys').selectAll().where('key', '=', key).executeTakeFirst();
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

  it.runIf(isSqliteOrFull(database))(
    'with another body under the same key is a 422 that names the header',
    async () => {
      await create('two', 'before');
      expect(await create('two', 'after')).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'idempotency_key_reused', loc: ['header', 'Idempotency-Key'] }] },
      });
      expect(await count('after')).toBe(0);
    },
  );

  it('creates one object for twenty requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('race', 'raced')));
    expect(await count('raced')).toBe(1);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(answers.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
  });

  it('gives the answer of the one that was quicker, also where its own work stumbles over what that one made', async () => {
    const send = () => call(server, '/v1/stumble', { body: {}, headers: { 'idempotency-key': 'stumbled' } });
    let quicker: Promise<Answer> | undefined;
    stumble = async () => {
      if (quicker) return;
      quicker = send();
      await quicker;
      throw new ApiError(409, 'There is one of that name.');
    };
    const slower = await send();
    expect([slower.status, slower.text]).toEqual([200, (await quicker)?.text]);
    expect(slower.headers.get('idempotency-replayed')).toBe('true');
  });

  it('waits for an answer that is about to be stored', async () => {
    const { db } = server.platform.database;
    const first = await create('slow', 'slowly');
    const ofSlow = (answer: { status: number | null; response: string | null }) =>
      db.updateTable('idempotency_keys').set(answer).where('key', '=', 'slow').execute();
    await ofSlow({ status: null, response: null });
    const second = create('slow', 'slowly');
    await ofSlow({ status: 201, response: first.text });
    expect(await second).toMatchObject({ status: 201, text: first.text });
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
      .set({ status: null, response: null, created_ms: Date.now() - 60_000 })
      .where('key', '=', 'crashed')
      .execute();
    expect(await create('crashed', 'survivor')).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect(await count('survivor')).toBe(1);
  });

  it('whose answer was lost a moment ago is refused within a second, or soon after on a busy machine', async () => {
    await create('lost', 'just now');
    await unanswer('lost');
    const beganAt = performance.now();
    expect((await create('lost', 'just now')).status).toBe(409);
    expect(performance.now() - beganAt).toBeLessThan(3000);
    expect(await count('just now')).toBe(1);
  });

  it('waits for a request that runs elsewhere for as long as it gives signs of life', async () => {
    const first = await create('elsewhere', 'beating');
    await unanswer('elsewhere');
    const second = create('elsewhere', 'beating');
    for (let beats = 0; beats < 8; beats++) {
      await sleep(100);
      await ofKey('elsewhere', { created_ms: Date.now() });
    }
    await ofKey('elsewhere', { status: 201, response: first.text });
    expect(await second).toMatchObject({ status: 201, text: first.text });
  });

  it('gives signs of life while its request runs, and waits for it in the same process', async () => {
    const send = () => call(server, '/v1/linger', { body: {}, headers: { 'idempotency-key': 'lingers' } });
    const held = Promise.withResolvers<void>();
    linger = held.promise;
    const first = send();
    const beat = async () => (await find('lingers'))?.created_ms ?? 0;
    await expect.poll(beat).toBeGreaterThan(0);
    const begun = await beat();
    const second = send();
    await expect.poll(beat, { timeout: 5000 }).toBeGreaterThan(begun + 600);
    held.resolve();
    expect((await second).text).toBe((await first).text);
  });

  it('is forgotten after 24 hours', async () => {
    await create('old', 'aged');
    const tomorrow = Date.now() + 24 * 60 * 60 * 1000 + 1000;
    expect(await createIdempotency(server.platform.database, () => tomorrow).sweep()).toBeGreaterThan(0);
    await create('old', 'aged');
    expect(await count('aged')).toBe(2);
  });

  it.runIf(isSqliteOrFull(database))('must be a sensible value', async () => {
    expect((await create('x'.repeat(256), 'long')).status).toBe(400);
  });
});

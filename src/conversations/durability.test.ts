import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { rounds } from '../../test/support/rounds.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { type Conversing, MODEL, post, readEvents, startConversing } from './conversations-for-tests.ts';

/** Statements after which no run can be stored, and those that undo them. */
const refusingRuns = {
  sqlite: [
    [`create trigger refuse_runs before insert on conversation_runs begin select raise(abort, 'on purpose'); end`],
    ['drop trigger refuse_runs'],
  ],
  postgres: [
    [
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$`,
      'create trigger refuse_runs before insert on conversation_runs for each row execute function refuse()',
    ],
    ['drop trigger refuse_runs on conversation_runs', 'drop function refuse()'],
  ],
} as const;

onEachDatabase('the run of a conversation', (database) => {
  let conversing: Conversing;
  beforeAll(async () => {
    conversing = await startConversing(database);
  });
  const path = '/v1/conversations';
  const start = async (): Promise<string> => {
    const answer = await call(conversing.server, path, { body: { model: MODEL, inputs: 'Hi' } });
    return (answer.body as { conversation_id: string }).conversation_id;
  };
  const historyOf = async (id: string) =>
    ((await call(conversing.server, `${path}/${id}/history`)).body as { entries: Record<string, unknown>[] }).entries;
  const gate = () => Promise.withResolvers<void>();
  const words = Array.from({ length: 40 }, (_, index) => `word${index} `);

  it('goes on when the client leaves, and the history shows it [CONVERSATIONS-STREAM-GOES-ON]', async () => {
    const id = await start();
    const { promise: until, resolve } = gate();
    conversing.says({ words: ['Take ', 'your ', 'time'], until });
    const response = await post(conversing.server, `${path}/${id}`, { inputs: 'Slowly', stream: true });
    await readEvents(response, (events) => events.some(({ event }) => event === 'message.output.delta'));
    resolve();
    const rest = await readEvents(await fetchEvents(id));
    expect(rest.events.at(-1)?.event).toBe('conversation.response.done');
    expect((await historyOf(id)).at(-1)).toMatchObject({ type: 'message.output', content: 'Take your time' });
  });

  it('is left alone when its task comes again after its end, as after a crash', async () => {
    const id = await start();
    const { database: opened } = conversing.server.platform;
    const runs = opened.db.selectFrom('conversation_runs').select('id').where('conversation_id', '=', id);
    const { id: run_id } = await runs.executeTakeFirstOrThrow();
    const asked = conversing.upstream.calls.length;
    const tasks = createTasks({ database: opened, now: systemClock });
    await opened.transaction((tx) => tasks.enqueue(tx, { queue: 'conversation-runs', payload: { run_id } }));
    const left = () => opened.db.selectFrom('tasks').select('id').where('queue', '=', 'conversation-runs').execute();
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    expect(await historyOf(id)).toHaveLength(2);
    expect(conversing.upstream.calls).toHaveLength(asked);
  });

  it('is alone: a second append meanwhile is 409 and leaves no trace [CONVERSATIONS-APPEND-BUSY]', async () => {
    const id = await start();
    const { promise: until, resolve } = gate();
    conversing.says({ words: ['First'], until });
    const first = call(conversing.server, `${path}/${id}`, { body: { inputs: 'one' } });
    const { db } = conversing.server.platform.database;
    const running = () => db.selectFrom('conversations').select('run_id').where('id', '=', id).executeTakeFirst();
    // Not until the model is asked: that is a moment before the run is committed.
    await expect.poll(running, { timeout: 20_000 }).toEqual({ run_id: expect.any(String) });
    const answers = await Promise.all(
      [2, 3, 4].map(() => call(conversing.server, `${path}/${id}`, { body: { inputs: 'two' } })),
    );
    for (const { status, body } of answers)
      expect({ status, body }).toMatchObject({
        status: 409,
        body: { code: 'conversation_busy', message: expect.stringContaining('in progress') },
      });
    resolve();
    expect((await first).status).toBe(200);
    expect((await historyOf(id)).map(({ content }) => content)).toEqual(['Hi', 'Hello there', 'one', 'First']);
    const headers = { 'x-request-id': 'after-the-refused' };
    expect((await call(conversing.server, `${path}/${id}`, { body: { inputs: 'three' }, headers })).status).toBe(200);
    // They were refused before a turn of the model was admitted, which would be on the ledger as failed.
    const ledger = () => db.selectFrom('usage_records').select(['request_id', 'status']).execute();
    await expect
      .poll(async () => (await ledger()).map(({ request_id }) => request_id), { timeout: 20_000 })
      .toContain('after-the-refused');
    expect((await ledger()).filter(({ status }) => status >= 400)).toEqual([]);
  });

  it('is refused with 409 when the history moves between each reading and its claim', async () => {
    const id = await start();
    const { db } = conversing.server.platform.database;
    // As if an entry were added in every such moment.
    await db
      .updateTable('conversations')
      .set(({ eb }) => ({ entry_count: eb('entry_count', '+', 1) }))
      .where('id', '=', id)
      .execute();
    const { status, body } = await call(conversing.server, `${path}/${id}`, { body: { inputs: 'on' } });
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'conversation_busy' } });
    expect(await historyOf(id)).toHaveLength(2);
  });

  it('lets one of twenty appends at once run, or several in turn, never mixes them, and asks the model for no other', async () => {
    const id = await start();
    const before = conversing.upstream.calls.length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => call(conversing.server, `${path}/${id}`, { body: { inputs: `n${n}` } })),
    );
    const accepted = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(20 - accepted);
    const types = (await historyOf(id)).map(({ type }) => type);
    expect(types).toEqual(Array.from({ length: accepted + 1 }, () => ['message.input', 'message.output']).flat());
    expect(conversing.upstream.calls.length - before).toBe(accepted);
  });

  it('that cannot be stored ends the turn of the model that it has begun, and leaves the conversation as it was', async () => {
    const id = await start();
    const { db } = conversing.server.platform.database;
    const [refuse, allow] = refusingRuns[database.kind];
    for (const text of refuse) await sql.raw(text).execute(db);
    const { promise: until, resolve } = gate();
    conversing.says({ words: ['Never ', 'read'], until });
    const headers = { 'x-request-id': `not-stored-${database.kind}` };
    const failed = await call(conversing.server, `${path}/${id}`, { body: { inputs: 'Lost' }, headers });
    for (const text of allow) await sql.raw(text).execute(db);
    expect(failed.status).toBe(500);
    // As that of a client that left: what the model was asked for until then counts.
    const ledger = () =>
      db.selectFrom('usage_records').select('status').where('request_id', '=', headers['x-request-id']).execute();
    await expect.poll(ledger, { timeout: 20_000 }).toEqual([{ status: 499 }]);
    resolve();
    expect(await historyOf(id)).toHaveLength(2);
    expect((await call(conversing.server, `${path}/${id}`, { body: { inputs: 'Again' } })).status).toBe(200);
  });

  it('resumes byte for byte wherever the stream was cut, by the same request or by its events [CONVERSATIONS-STREAM-RESUME]', {
    timeout: 60_000,
  }, async () => {
    const cut = async (n: number): Promise<void> => {
      const body = { model: MODEL, inputs: `Cut ${n}`, stream: true };
      const headers = { 'idempotency-key': `cut-${n}-${Math.random()}` };
      const take = 1 + Math.floor(Math.random() * 12);
      const first = await readEvents(
        await post(conversing.server, path, body, headers),
        (events) => events.length >= take,
      );
      const seen = first.events.slice(0, take);
      const last = String(seen.at(-1)?.id);
      const id = String(first.events[0]?.data.conversation_id);
      const tail = await readEvents(await post(conversing.server, path, body, { ...headers, 'last-event-id': last }));
      const followed = await readEvents(await fetchEvents(id, last));
      const whole = await readEvents(await post(conversing.server, path, body, headers));
      expect(followed.text).toBe(tail.text);
      expect([...seen, ...tail.events]).toEqual(whole.events);
      expect(whole.text.endsWith(tail.text)).toBe(true);
      expect(textOf(whole.events)).toBe(words.join(''));
    };
    for (let batch = 0; batch < rounds(1, 4); batch++) {
      conversing.says(...Array.from({ length: 25 }, () => ({ words, paceMs: 15 })));
      await Promise.all(Array.from({ length: 25 }, (_, n) => cut(batch * 25 + n)));
    }
  });

  it('gives the same answer to the same key, also without a stream, and runs once', async () => {
    const key = { 'idempotency-key': `once-${Math.random()}` };
    const body = { model: MODEL, inputs: 'Only once' };
    const before = conversing.upstream.calls.length;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call(conversing.server, path, { body, headers: key })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(conversing.upstream.calls.length - before).toBe(1);
    const { conversation_id } = (answers[0]?.body ?? {}) as { conversation_id: string };
    expect(await historyOf(conversation_id)).toHaveLength(2);
    const other = await call(conversing.server, path, { body: { ...body, inputs: 'Else' }, headers: key });
    expect(other).toMatchObject({ status: 422, body: { detail: [{ type: 'idempotency_key_reused' }] } });
  });

  it('gives the same answer to the same key where the second finds a run in progress', async () => {
    const id = await start();
    const key = { 'idempotency-key': `append-${Math.random()}` };
    const send = () => call(conversing.server, `${path}/${id}`, { body: { inputs: 'More' }, headers: key });
    const before = conversing.upstream.calls.length;
    const { promise: until, resolve } = gate();
    conversing.says({ words: ['Two ', 'words'], until });
    const both = [send(), send()];
    await expect.poll(() => conversing.upstream.calls.length).toBeGreaterThan(before);
    resolve();
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it('repeats the error of a run that an older program stored without a code of the catalogue', async () => {
    const key = { 'idempotency-key': `old-${Math.random()}` };
    const send = () => call(conversing.server, path, { body: { model: MODEL, inputs: 'Old' }, headers: key });
    expect((await send()).status).toBe(200);
    const { db } = conversing.server.platform.database;
    const store = async (error: unknown) =>
      void (await db
        .updateTable('conversation_runs')
        .set({ outcome: JSON.stringify({ error }) })
        .where('idempotency_key', '=', key['idempotency-key'])
        .execute());
    await store({ status: 502, message: 'Gone.', type: 'server_error', code: null });
    expect(await send()).toMatchObject({ status: 502, body: { message: 'Gone.', type: 'server_error', code: null } });
    await store({ status: 400, message: 'Invalid model: x', type: 'invalid_model', code: '1500' });
    expect(await send()).toMatchObject({ status: 400, body: { type: 'invalid_model', code: '1500' } });
  });

  it('ends when the conversation is deleted, and says so to who watches [CONVERSATIONS-DELETE-ABORTS]', async () => {
    const id = await start();
    const { promise: until, resolve } = gate();
    conversing.says({ words: ['Never ', 'finished'], until });
    const watching = post(conversing.server, `${path}/${id}`, { inputs: 'Go', stream: true });
    const reading = readEvents(await watching);
    await readEvents(await fetchEvents(id), (events) => events.some(({ event }) => event === 'message.output.delta'));
    expect((await call(conversing.server, `${path}/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await reading).events.at(-1)).toMatchObject({ event: 'conversation.response.error', data: { code: 404 } });
    resolve();
    expect((await call(conversing.server, `${path}/${id}`)).status).toBe(404);
  });

  describe('that fails before it has said anything', () => {
    it('leaves an old conversation as it was and no new one behind', async () => {
      const id = await start();
      const count = async () => ((await call(conversing.server, `${path}?page_size=1000`)).body as unknown[]).length;
      const before = await count();
      conversing.says({ status: 400 });
      const failed = await call(conversing.server, `${path}/${id}`, { body: { inputs: 'Lost' } });
      expect(failed.status).toBeGreaterThanOrEqual(400);
      conversing.says({ status: 400 });
      expect((await call(conversing.server, path, { body: { model: MODEL, inputs: 'x' } })).status).toBe(failed.status);
      expect(await count()).toBe(before);
      expect(await historyOf(id)).toHaveLength(2);
      expect((await call(conversing.server, `${path}/${id}`, { body: { inputs: 'Again' } })).status).toBe(200);
    });

    it('tells a stream by its error event', async () => {
      conversing.says({ status: 400 });
      const { events } = await readEvents(
        await post(conversing.server, path, { model: MODEL, inputs: 'x', stream: true }),
      );
      expect(events.map(({ event }) => event)).toEqual([
        'conversation.response.started',
        'conversation.response.error',
      ]);
      expect(events[1]?.data).toMatchObject({ message: expect.any(String), code: expect.any(Number) });
    });
  });

  const fetchEvents = (id: string, lastEventId?: string) =>
    fetch(`${conversing.server.url}${path}/${id}/events`, {
      headers: {
        authorization: `Bearer ${conversing.server.key}`,
        ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      },
    });
});

function textOf(events: { event: string; data: Record<string, unknown> }[]): string {
  return events
    .filter(({ event }) => event === 'message.output.delta')
    .map(({ data }) => data.content)
    .join('');
}

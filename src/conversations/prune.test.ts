import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createEvents } from '../kit/events/index.ts';
import { type Conversing, MODEL, post, readEvents, startConversing } from './conversations-for-tests.ts';
import { pruneRuns } from './prune-runs.ts';

const HOUR_MS = 60 * 60 * 1000;
const path = '/v1/conversations';

onEachDatabase('forgetting runs', (database) => {
  let conversing: Conversing;
  beforeAll(async () => {
    conversing = await startConversing(database);
  });
  /** What the hourly job does, so many hours from now. */
  async function pruneAfter(hours: number): Promise<void> {
    const { database: opened } = conversing.server.platform;
    const now = () => systemClock() + hours * HOUR_MS;
    const events = createEvents({ database: opened, now });
    await pruneRuns({ database: opened, events, now });
    await events.stop();
  }
  const start = async (headers: Record<string, string> = {}) => {
    const answer = await call(conversing.server, path, { body: { model: MODEL, inputs: 'Hi' }, headers });
    return { ...answer, id: (answer.body as { conversation_id: string }).conversation_id };
  };
  const kept = async (id: string) => {
    const { db } = conversing.server.platform.database;
    const runs = await db.selectFrom('conversation_runs').selectAll().where('conversation_id', '=', id).execute();
    const stream = `conversation:${id}`;
    const events = await db.selectFrom('events').selectAll().where('stream', '=', stream).execute();
    const heads = await db.selectFrom('event_streams').selectAll().where('stream', '=', stream).execute();
    return { runs: runs.length, events: events.length, streams: heads.length };
  };

  it('keeps them for a day, then takes runs and events away and leaves every entry', async () => {
    const { id } = await start();
    const before = await call(conversing.server, `${path}/${id}/history`);
    await pruneAfter(23);
    expect(await kept(id)).toMatchObject({ runs: 1, events: 3 });
    await pruneAfter(25);
    expect(await kept(id)).toEqual({ runs: 0, events: 0, streams: 1 });
    expect((await call(conversing.server, `${path}/${id}/history`)).text).toBe(before.text);
    expect((await call(conversing.server, `${path}/${id}/events`)).status).toBe(404);
  });

  it('lets the conversation go on, its events numbered as if nothing were gone', async () => {
    const { id } = await start();
    await pruneAfter(25);
    const { events } = await readEvents(await post(conversing.server, `${path}/${id}`, { inputs: 'On', stream: true }));
    expect(events.map((event) => event.id)).toEqual(events.map((_, n) => n + 4));
    const again = await fetch(`${conversing.server.url}${path}/${id}/events`, {
      headers: { authorization: `Bearer ${conversing.server.key}`, 'last-event-id': '4' },
    });
    expect((await readEvents(again)).events).toEqual(events.slice(1));
  });

  it('leaves a run alone that goes on, however old it is', async () => {
    const held = Promise.withResolvers<void>();
    conversing.says({ words: ['Slow', 'ly'], until: held.promise });
    const asked = conversing.upstream.calls.length;
    const response = await post(conversing.server, path, { model: MODEL, inputs: 'Hi', stream: true });
    const reading = readEvents(response);
    await expect.poll(() => conversing.upstream.calls.length, { timeout: 10_000 }).toBe(asked + 1);
    await pruneAfter(25);
    held.resolve();
    expect((await reading).events.at(-1)?.event).toBe('conversation.response.done');
  });

  it('takes away what is left of a deleted conversation', async () => {
    const { id } = await start();
    await call(conversing.server, `${path}/${id}`, { method: 'DELETE' });
    await pruneAfter(25);
    expect(await kept(id)).toEqual({ runs: 0, events: 0, streams: 0 });
  });

  it('forgets the key of a request with its run, so that the same request runs anew', async () => {
    const headers = { 'idempotency-key': 'once-a-day' };
    const first = await start(headers);
    expect((await start(headers)).id).toBe(first.id);
    await pruneAfter(25);
    expect((await start(headers)).id).not.toBe(first.id);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/call.ts';
import { onEachDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { addPerson, type Loss, losses, type Person } from './person.ts';

const ENDED_WITHIN_MS = 2000;
const causes = Object.keys(losses) as Loss[];

onEachDatabase('what lost its authority', (database) => {
  let upstream: ScriptedUpstream;
  /** Runs the work. */
  let server: TestServer;
  /** Another process on the same database, which changes who may do what. */
  let other: TestServer;
  beforeAll(async () => {
    upstream = await startUpstream();
    const models = [{ id: 'small', engine: 'upstream' as const, url: upstream.url, upstream_model: 'm' }];
    server = await startTestServer(database, { file: { models } });
    other = await startTestServer(database);
  });

  const sentFor = (marker: string) =>
    upstream.calls.filter(({ body }) => JSON.stringify(body.messages).includes(marker)).length;

  async function lose(cause: Loss, person: Person): Promise<void> {
    await losses[cause].lose(other, person);
  }

  /** Nothing more is sent upstream while others are served. */
  async function isQuiet(marker: string): Promise<void> {
    const sent = sentFor(marker);
    for (const content of ['one', 'two', 'three'])
      await call(server, '/v1/chat/completions', {
        body: { model: 'small', messages: [{ role: 'user', content }] },
      });
    expect(sentFor(marker)).toBe(sent);
  }

  describe('as a batch', () => {
    const startJob = async ({ key, userId }: Person, lines: number) => {
      const requests = Array.from({ length: lines }, (_, n) => ({
        custom_id: `${n}`,
        body: { messages: [{ role: 'user', content: `${userId} ${n}` }] },
      }));
      const made = await call(server, '/v1/batch/jobs', {
        key,
        body: { endpoint: '/v1/chat/completions', model: 'small', requests },
      });
      expect(made.status).toBe(200);
      return (made.body as { id: string }).id;
    };
    const jobOf = (id: string) =>
      server.platform.database.db.selectFrom('batch_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const failed = (id: string) =>
      expect.poll(async () => (await jobOf(id)).status, { timeout: ENDED_WITHIN_MS, interval: 20 }).toBe('FAILED');

    it.each(causes)('ends within two seconds when %s, with the reason and its results', async (cause) => {
      upstream.answerWith((_, response) => void setTimeout(() => json(response, 200, completion('ok')), 2));
      const person = await addPerson(other);
      const id = await startJob(person, 3000);
      await expect.poll(() => sentFor(person.userId), { timeout: 20_000, interval: 5 }).toBeGreaterThan(20);
      await lose(cause, person);
      await failed(id);
      const job = await jobOf(id);
      expect(job.errors[0]?.message).toMatch(losses[cause].reason);
      expect(job.succeeded_requests).toBeGreaterThan(0);
      expect(job.succeeded_requests).toBeLessThan(3000);
      expect(job.output_file).not.toBeNull();
      await isQuiet(person.userId);
    });

    it('ends while its model server does not answer, and while it waits for its turn', async () => {
      upstream.answerWith(({ body }, response) => {
        if (!JSON.stringify(body).includes('@@')) json(response, 200, completion('ok'));
      });
      const people = await Promise.all([addPerson(other), addPerson(other), addPerson(other)]);
      const held = people.map((person) => ({ ...person, userId: `${person.userId}@@` }));
      const ids: string[] = [];
      for (const person of held) ids.push(await startJob(person, 1));
      await expect.poll(() => held.filter(({ userId }) => sentFor(userId) > 0).length, { timeout: 20_000 }).toBe(2);
      for (const person of people) await lose('its key is revoked', person);
      for (const id of ids) await failed(id);
      expect((await jobOf(ids[2] ?? '')).errors).toEqual([{ message: losses['its key is revoked'].reason, count: 1 }]);
    });
  });
});

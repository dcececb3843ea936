import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { beforeAll, expect, inject, it } from 'vitest';
import { startWorker, type Worker } from '../../packages/workflows/src/worker/index.ts';
import { MODEL, post, readEvents, type Said, startScript } from '../../src/conversations/conversations-for-tests.ts';
import { call } from '../support/call.ts';
import { atEnd } from '../support/cleanup.ts';
import { inFull } from '../support/in-full.ts';
import { rounds } from '../support/rounds.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { steps, workflows } from './fixtures/definitions.ts';
import { type Address, type Cluster, startCluster } from './start-cluster.ts';
import { startWorkerProcess } from './start-worker.ts';

const serverUrl = inject('postgresUrl');
const ROUNDS = rounds(2, 20);
/**
 * The death of a process costs a lease and the poll that finds it expired: under five seconds, as the tests with a fake
 * clock verify. Here real processes run on a busy machine; still less than any longer timeout.
 */
const RECOVERY_MS = 20_000;

inFull.given(serverUrl).describe('workflows and runs on three servers', () => {
  let cluster: Cluster;
  let says: (...next: Said[]) => void;
  let slow: ScriptedUpstream;
  beforeAll(async () => {
    const script = await startScript();
    says = script.says;
    slow = await startUpstream();
    slow.answerWith((_, response) => void setTimeout(() => json(response, 200, completion('ok')), 60));
    const common = { engine: 'upstream', upstream_model: 'scripted', capabilities: { completion_chat: true } };
    const models = [
      { ...common, id: MODEL, url: script.upstream.url },
      { ...common, id: 'slow', url: slow.url },
    ];
    cluster = await startCluster({ serverUrl: serverUrl ?? '', file: { models, batch: { concurrency: 4 } } });
  });

  async function work(at: Address, name: string): Promise<Worker> {
    const worker = await startWorker({ url: at.url, apiKey: at.key, name, workflows, steps });
    atEnd(() => worker.stop(0));
    return worker;
  }
  const execute = async (at: Address, name: string, input: object, wait = false) => {
    const body = { input, wait_for_result: wait, timeout_seconds: 20 };
    const answer = await call(at, `/v1/workflows/${name}/execute`, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as { execution_id: string; result: unknown };
  };
  const ask = (at: Address, id: string, what: 'signals' | 'queries' | 'updates', body: object) =>
    call(at, `/v1/workflows/executions/${id}/${what}`, { body });

  it('a worker that polls one of them runs what is started on any, and receives signals, queries and updates from any', async () => {
    const worker = await work(cluster.at(0), 'settled');
    for (let round = 0; round < ROUNDS; round++)
      for (const index of [0, 1, 2])
        expect(await execute(cluster.at(index), 'five-steps', { from: index }, true)).toMatchObject({
          result: 2 * index + 6,
        });
    const { execution_id: id } = await execute(cluster.at(2), 'counter', {});
    for (const index of [0, 1, 2]) {
      expect((await ask(cluster.at(index), id, 'signals', { name: 'add', input: { by: 4 } })).status).toBeLessThan(300);
      await expect
        .poll(async () => (await ask(cluster.at((index + 1) % 3), id, 'queries', { name: 'total' })).body)
        .toMatchObject({ result: 4 * (index + 1) });
    }
    expect((await ask(cluster.at(1), id, 'updates', { name: 'double' })).body).toMatchObject({ result: { total: 24 } });
    expect((await ask(cluster.at(2), id, 'queries', { name: 'total' })).body).toMatchObject({ result: 24 });
    await worker.stop(0);
  });

  it('a worker behind the one address, whose polls and answers go to all of them in turn, loses no time and no query', async () => {
    const worker = await work(cluster, 'roaming');
    // One execution per server, so that all have seen the worker connect and disconnect.
    for (const from of [1, 2, 3]) await execute(cluster, 'five-steps', { from }, true);
    const { execution_id: id } = await execute(cluster, 'counter', {});
    for (let n = 1; n <= 3 * ROUNDS; n++) {
      expect((await ask(cluster, id, 'signals', { name: 'add', input: { by: 1 } })).status).toBeLessThan(300);
      await expect
        .poll(async () => (await ask(cluster, id, 'queries', { name: 'total' })).body)
        .toMatchObject({ result: n });
    }
    await worker.stop(0);
  });

  it('the events of an execution are read on another server than the one that wrote them, and resume there [WORKFLOWS-STREAM-RESUME]', async () => {
    const worker = await work(cluster.at(0), 'writer');
    const { execution_id: id } = await execute(cluster.at(0), 'counter', {});
    const follow = (index: number, after?: string) =>
      fetch(`${cluster.at(index).url}/v1/workflows/events/stream?root_workflow_exec_id=${id}`, {
        headers: { authorization: `Bearer ${cluster.key}`, ...(after ? { 'last-event-id': after } : {}) },
      });
    const streams = await Promise.all([1, 2].map((index) => follow(index)));
    const [there, interrupted] = [
      readEvents(streams[0] as Response),
      readEvents(streams[1] as Response, (seen) => seen.length >= 2),
    ];
    await cluster.dropConnections();
    expect((await ask(cluster.at(0), id, 'signals', { name: 'add', input: { by: 101 } })).status).toBeLessThan(300);
    const { events, text } = await there;
    expect(events.map(({ data }) => (data as { broker_sequence: number }).broker_sequence)).toEqual(
      events.map((_, index) => index + 1),
    );
    expect(text).toContain('WORKFLOW_EXECUTION_COMPLETED');
    const seen = (await interrupted).events;
    const rest = (await readEvents(await follow(0, String(seen.at(-1)?.id)))).events;
    expect([...seen, ...rest].map(({ id: seq }) => seq)).toEqual(events.map(({ id: seq }) => seq));
    await worker.stop(0);
  });

  it('a schedule starts each of its times once, whatever the number of servers', async () => {
    const worker = await work(cluster, 'scheduled');
    const made = await Promise.all(
      Array.from({ length: 5 }, async (_, n) => {
        const schedule_id = `s${n}-${randomUUID()}`;
        const schedule = { input: { n }, intervals: [{ every: 'PT1S' }], max_executions: 3, policy: { overlap: 6 } };
        const answer = await call(cluster.at(n % 3), '/v1/workflows/schedules', {
          body: { schedule, workflow_identifier: 'tick', schedule_id },
        });
        expect(answer.status, answer.text).toBe(201);
        return schedule_id;
      }),
    );
    const started = () =>
      cluster.query<{ schedule_id: string; execution_id: string; at: string }>(
        `select schedule_id, execution_id, metadata->>'scheduled_at' as at from workflow_runs
         where schedule_id = any($1) order by schedule_id, execution_id`,
        [made],
      );
    await expect.poll(async () => (await started()).length, { timeout: RECOVERY_MS }).toBe(15);
    const rows = await started();
    expect(new Set(rows.map(({ execution_id }) => execution_id)).size).toBe(15);
    for (const id of made) {
      const times = rows.filter(({ schedule_id }) => schedule_id === id).map(({ at }) => Date.parse(at));
      expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 1000, 2000]);
    }
    await worker.stop(0);
  });

  it('a query whose worker was just killed is answered by another at once, not after its time is up', async () => {
    const doomed = await startWorkerProcess(cluster.at(0), 'doomed');
    const { execution_id: id } = await execute(cluster.at(0), 'counter', {});
    await expect
      .poll(async () => (await ask(cluster.at(0), id, 'queries', { name: 'total' })).body)
      .toMatchObject({ result: 0 });
    const other = await work(cluster.at(1), 'other');
    doomed.kill('SIGKILL');
    const began = performance.now();
    const answers = await Promise.all(
      [0, 1, 2].map((index) => ask(cluster.at(index), id, 'queries', { name: 'total' })),
    );
    expect(answers.map(({ body }) => body)).toMatchObject([{ result: 0 }, { result: 0 }, { result: 0 }]);
    expect(performance.now() - began).toBeLessThan(3000);
    await other.stop(0);
  });

  it('what a killed worker had begun goes on with another soon, and so does what a killed server had', async () => {
    const doomed = await startWorkerProcess(cluster.at(0), 'doomed-2');
    const { execution_id: id } = await execute(cluster.at(0), 'lingering', { ms: 400 });
    await expect
      .poll(async () => (await call(cluster.at(1), `/v1/workflows/executions/${id}/history`)).text)
      .toContain('ACTIVITY_TASK_SCHEDULED');
    const survivor = await work(cluster.at(1), 'survivor');
    doomed.kill('SIGKILL');
    await once(doomed, 'close');
    const began = performance.now();
    const ended = async () => (await call(cluster.at(2), `/v1/workflows/executions/${id}`)).body;
    await expect
      .poll(ended, { timeout: RECOVERY_MS })
      .toMatchObject({ status: 'COMPLETED', result: { pid: process.pid } });
    expect(performance.now() - began).toBeLessThan(RECOVERY_MS);

    // Kills the server that holds the worker's poll and the run; the worker continues behind the one address.
    await survivor.stop(0);
    const roaming = await work(cluster, 'survivor-2');
    const { execution_id: next } = await execute(cluster.at(2), 'lingering', { ms: 300 });
    await cluster.kill(2);
    const killed = performance.now();
    await expect
      .poll(async () => (await call(cluster, `/v1/workflows/executions/${next}`)).body, { timeout: RECOVERY_MS })
      .toMatchObject({ status: 'COMPLETED' });
    expect(performance.now() - killed).toBeLessThan(RECOVERY_MS);
    await roaming.stop(0);
    await cluster.start(2);
  });

  it('a conversation and a batch job whose server dies are taken up by another soon', async () => {
    if (cluster.live().length < 3) await cluster.start(0);
    const { promise: until, resolve: finish } = Promise.withResolvers<void>();
    says({ words: ['never'], until }, { words: ['taken ', 'up'] });
    const requests = Array.from({ length: 100 }, (_, n) => ({
      custom_id: `r${n}`,
      body: { messages: [{ role: 'user', content: `line ${n}` }] },
    }));
    const jobs = await Promise.all(
      [0, 1, 2].map(async () => {
        const made = await call(cluster.at(0), '/v1/batch/jobs', {
          body: { endpoint: '/v1/chat/completions', model: 'slow', requests },
        });
        return (made.body as { id: string }).id;
      }),
    );
    const stream = await post(cluster.at(0), '/v1/conversations', { model: MODEL, inputs: 'Hi', stream: true });
    const broken = readEvents(stream).catch(() => undefined);
    await expect.poll(async () => (await cluster.query('select id from conversations')).length).toBe(1);
    await expect.poll(() => slow.calls.length).toBeGreaterThan(10);
    const [conversation] = await cluster.query<{ id: string }>('select id from conversations');
    await cluster.kill(0);
    const killed = performance.now();
    await broken;
    finish();
    const events = await fetch(`${cluster.at(1).url}/v1/conversations/${conversation?.id}/events`, {
      headers: { authorization: `Bearer ${cluster.key}` },
    });
    expect((await readEvents(events)).text).toContain('conversation.response.done');
    expect(performance.now() - killed).toBeLessThan(RECOVERY_MS);
    for (const id of jobs)
      await expect
        .poll(async () => (await call(cluster.at(2), `/v1/batch/jobs/${id}`)).body, { timeout: RECOVERY_MS })
        .toMatchObject({ status: 'SUCCESS', completed_requests: 100, succeeded_requests: 100 });
  });
});

import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { temporal as temporalProto } from '@temporalio/proto';
import { beforeAll, expect, inject, it } from 'vitest';
import { connect } from '../../src/workflows/engines/temporal/connect.ts';
import { call } from '../support/call.ts';
import { inFull } from '../support/in-full.ts';
import { startTemporal } from '../support/temporal.ts';
import { temporal } from '../support/temporal-program.ts';
import { readStream } from './read-stream.ts';
import { type Address, type Cluster, startCluster } from './start-cluster.ts';
import { startWorkerProcess } from './start-worker.ts';

const serverUrl = inject('postgresUrl');

inFull.given(serverUrl && temporal).describe('three servers on one PostgreSQL and one Temporal', () => {
  let cluster: Cluster;
  let workers: ChildProcess[];
  let address: string;
  beforeAll(async () => {
    address = await startTemporal();
    const file = { workflows: { encryption_keys: [randomBytes(32).toString('base64')] } };
    cluster = await startCluster({ serverUrl: serverUrl ?? '', temporalAddress: address, file });
    workers = await Promise.all(['first', 'second'].map((name) => startWorkerProcess(cluster, name)));
  });

  const execute = async (at: Address, name: string, body: object = {}) => {
    const answer = await call(at, `/v1/workflows/${name}/execute`, { body: { input: {}, ...body } });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { execution_id: string }).execution_id;
  };
  const tell = (at: Address, id: string, what: string, body?: object) =>
    call(at, `/v1/workflows/executions/${id}/${what}`, body ? { body } : { method: 'POST' });
  const read = async (at: Address, id: string) => (await call(at, `/v1/workflows/executions/${id}`)).body;
  const follow = (at: Address, id: string, last: string, count = { events: 0, connections: 0 }) =>
    readStream(at, `/v1/workflows/events/stream?root_workflow_exec_id=${id}`, last, count);
  type Event = { event_type: string; attributes: Record<string, unknown>; broker_sequence: number };
  const events = async (at: Address, id: string) => {
    const { body } = await call(at, `/v1/workflows/events/list?root_workflow_exec_id=${id}&limit=1000`);
    return (body as { events: Event[] }).events;
  };
  const counted = (list: Event[]) => list.map((_, index) => index + 1);

  it('what one of them starts is streamed by another, and receives signals, queries, updates and its end through a third', async () => {
    const id = await execute(cluster.at(0), 'counter');
    const seen = follow(cluster.at(1), id, 'WORKFLOW_EXECUTION_CANCELED');
    expect((await tell(cluster.at(2), id, 'signals', { name: 'add', input: { by: 4 } })).status).toBe(202);
    await expect
      .poll(async () => (await tell(cluster.at(2), id, 'queries', { name: 'total' })).body)
      .toMatchObject({ result: 4 });
    expect((await tell(cluster.at(2), id, 'updates', { name: 'double' })).body).toMatchObject({ result: { total: 8 } });
    expect((await tell(cluster.at(2), id, 'cancel')).status).toBe(204);
    expect(await seen).toEqual(counted(await events(cluster.at(0), id)));
    for (const index of [0, 1, 2]) expect(await read(cluster.at(index), id)).toMatchObject({ status: 'CANCELED' });
  });

  it('a name is started once, whichever servers are asked for it at the same time, and is free when its execution is over', async () => {
    const execution_id = `name-${randomUUID()}`;
    const body = { input: {}, execution_id };
    const start = async (index: number) =>
      (await call(cluster.at(index), '/v1/workflows/counter/execute', { body })).status;
    expect((await Promise.all([0, 1, 2].map(start))).toSorted()).toEqual([200, 409, 409]);
    expect((await tell(cluster.at(1), execution_id, 'terminate')).status).toBe(204);
    expect(await start(2)).toBe(200);
    expect((await tell(cluster.at(0), execution_id, 'terminate')).status).toBe(204);
  });

  it('a schedule starts each of its times once', async () => {
    const schedule_id = `s-${randomUUID()}`;
    const schedule = { input: { n: 1 }, intervals: [{ every: 'PT1S' }], max_executions: 2, policy: { overlap: 6 } };
    const body = { schedule, workflow_identifier: 'tick', schedule_id };
    expect((await call(cluster.at(1), '/v1/workflows/schedules', { body })).status).toBe(201);
    const started = () =>
      cluster.query<{ status: string; at: string }>(
        `select status, metadata->>'scheduled_at' as at from workflow_runs where schedule_id = $1 order by at`,
        [schedule_id],
      );
    await expect.poll(async () => (await started()).map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
    const [first = 0, second] = (await started()).map(({ at }) => Date.parse(at));
    expect(second).toBe(first + 1000);
  });

  it('nothing that workflows pass around is readable on Temporal, and all of it through the API', async () => {
    const id = await execute(cluster.at(0), 'secretive', { input: { said: 'in-the-input' } });
    await tell(cluster.at(1), id, 'signals', { name: 'whisper', input: { said: 'in-the-signal' } });
    const asked = await tell(cluster.at(2), id, 'queries', { name: 'refuses', input: { said: 'in-the-query' } });
    expect(asked).toMatchObject({ status: 409, body: { detail: "The query 'refuses' failed: not in-the-query" } });
    const updated = await tell(cluster.at(2), id, 'updates', { name: 'asks', input: { said: 'in-the-update' } });
    expect(updated).toMatchObject({ status: 200, body: { result: 'answer to in-the-update' } });
    await expect.poll(async () => (await read(cluster.at(2), id)) as object).toMatchObject({ status: 'FAILED' });
    const shown = (await call(cluster.at(1), `/v1/workflows/executions/${id}/history?decode_payloads=true`)).text;
    for (const words of [
      'in-the-input',
      'in-the-signal',
      'in-the-update',
      'step got in-the-input',
      'not said: in-the-signal',
    ])
      expect(shown).toContain(words);
    const connection = connect({ address });
    const { namespace } = (await call(cluster, '/v1/workflows/workers/whoami')).body as { namespace: string };
    const execution = { workflowId: id };
    const kept = await connection.workflowService.getWorkflowExecutionHistory({ namespace, execution });
    await connection.close();
    const bytes = temporalProto.api.history.v1.History.encode(kept.history ?? {}).finish();
    expect(kept.history?.events?.length).toBeGreaterThan(10);
    expect(Buffer.from(bytes).includes('in-the-')).toBe(false);
  });

  it('a run whose server is killed goes on, and readers that resume elsewhere miss none of its events [WORKFLOWS-STREAM-RESUME]', async () => {
    const id = await execute(cluster.at(2), 'counter');
    const END = 'WORKFLOW_EXECUTION_COMPLETED';
    const count = { events: 0, connections: 0 };
    // One reader uses the server that dies and resumes at the one address, the other stays on another server.
    const moving = {
      key: cluster.key,
      get url() {
        return cluster.live().length === 3 ? cluster.at(2).url : cluster.url;
      },
    };
    const readers = [follow(moving, id, END, count), follow(cluster.at(0), id, END)];
    await expect.poll(() => count.events).toBeGreaterThan(0);
    await cluster.kill(2);
    expect((await tell(cluster, id, 'updates', { name: 'double' })).status).toBe(200);
    for (const by of [60, 70]) await tell(cluster, id, 'signals', { name: 'add', input: { by } });
    await expect.poll(() => read(cluster, id)).toMatchObject({ status: 'COMPLETED', result: 130 });
    const stored = counted(await events(cluster.at(1), id));
    expect(await Promise.all(readers)).toEqual([stored, stored]);
    expect(count.connections).toBeGreaterThan(1);
  });

  it('a step whose worker is killed is tried again by another, and its result comes once', async () => {
    const id = await execute(cluster.at(0), 'outliving');
    const seen = follow(cluster.at(1), id, 'WORKFLOW_EXECUTION_COMPLETED');
    const findDoomed = async () => {
      const text = JSON.stringify(await events(cluster.at(0), id));
      return workers.find(({ pid }) => text.includes(`"pid":${pid}`));
    };
    await expect.poll(findDoomed).toBeDefined();
    const doomed = await findDoomed();
    const [other] = workers.filter((worker) => worker !== doomed);
    doomed?.kill('SIGKILL');
    await expect
      .poll(() => read(cluster.at(1), id))
      .toMatchObject({ status: 'COMPLETED', result: { pid: other?.pid, attempt: 2 } });
    const all = await events(cluster.at(0), id);
    expect(await seen).toEqual(counted(all));
    const told = all.filter(({ event_type }) => !event_type.startsWith('CUSTOM'));
    expect(told.map(({ event_type }) => event_type)).toEqual([
      'WORKFLOW_EXECUTION_STARTED',
      'ACTIVITY_TASK_STARTED',
      'ACTIVITY_TASK_RETRYING',
      'ACTIVITY_TASK_COMPLETED',
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
    expect(told[2]?.attributes).toMatchObject({
      attempt: 1,
      failure: { message: "The step 'outlive' sent no heartbeat for 1500 ms." },
    });
  });
});

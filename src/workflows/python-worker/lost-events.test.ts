import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { onSqliteFirst } from '../../../test/support/databases.ts';
import { type FakeTemporal, startFakeTemporal } from '../../../test/support/fake-temporal.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { WITHIN } from '../workflows-for-tests.ts';

const { EventType, PendingActivityState } = temporal.api.enums.v1;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const wf = (value: unknown) => ({
  metadata: { encoding: Buffer.from('json/wf_v1') },
  data: Buffer.from(JSON.stringify(value)),
});
const failure = (message: string) => ({ message, applicationFailureInfo: { type: 'ValueError' } });

/** A history of steps; each call adds events with the next ids, a second apart. */
function createHistory() {
  const events: HistoryEvent[] = [];
  const add = (eventType: number, attributes: object) => {
    const eventId = events.length + 2;
    events.push({ eventId, eventTime: { seconds: 1_800_000_000 + eventId }, eventType, ...attributes } as never);
    return eventId;
  };
  const scheduled = (activityId: string) => {
    const input = { payloads: [wf('Ada'), wf(Number(activityId))] };
    const activityTaskScheduledEventAttributes = { activityId, activityType: { name: 'print' }, input };
    return add(EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, { activityTaskScheduledEventAttributes });
  };
  const started = (scheduledEventId: number, attempt = 1, lastFailure?: object) => {
    const activityTaskStartedEventAttributes = { scheduledEventId, attempt, ...(lastFailure ? { lastFailure } : {}) };
    add(EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED, { activityTaskStartedEventAttributes });
  };
  return {
    events,
    scheduled,
    completed(activityId: string) {
      const scheduledEventId = scheduled(activityId);
      started(scheduledEventId);
      const activityTaskCompletedEventAttributes = {
        scheduledEventId,
        result: { payloads: [wf(`page ${activityId}`)] },
      };
      add(EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, { activityTaskCompletedEventAttributes });
    },
    failedTwice(activityId: string) {
      const scheduledEventId = scheduled(activityId);
      started(scheduledEventId, 2, failure('first'));
      const activityTaskFailedEventAttributes = { scheduledEventId, failure: failure('second') };
      add(EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED, { activityTaskFailedEventAttributes });
    },
    marker(activity_type: string) {
      const data = { activity_id: '9', activity_type, attempt: 1, original_schedule_time: { seconds: 1_800_000_003 } };
      const details = {
        data: {
          payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(data)) }],
        },
        result: { payloads: [wf('local')] },
      };
      const markerRecordedEventAttributes = { markerName: 'core_local_activity', details };
      add(EventType.EVENT_TYPE_MARKER_RECORDED, { markerRecordedEventAttributes });
    },
  };
}

onSqliteFirst('events that an official worker could not deliver', (database) => {
  let cluster: FakeTemporal;
  let environment: Record<string, string>;
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    cluster = await startFakeTemporal();
    environment = { TRAMONTANE_TEMPORAL_ADDRESS: cluster.address, TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0' };
    server = await startTestServer(database, { environment });
    key = server.key;
    const definitions = [{ name: 'shop', task_queue: 'main', input_schema: { type: 'object' } }];
    const body = { definitions, deployment_name: 'main', worker_name: 'python-1' };
    expect((await call(server, '/v1/workflows/register', { body })).status).toBe(200);
  });

  async function start(): Promise<{ id: string; runId: string }> {
    const [id, runId] = [randomUUID(), randomUUID()];
    cluster.nameRuns({ [id]: runId });
    expect((await call(server, '/v1/workflows/shop/execute', { key, body: { execution_id: id } })).status).toBe(200);
    return { id, runId };
  }

  async function send({ id, runId }: { id: string; runId: string }, event_type: string, task_id: string, more: object) {
    const event = {
      event_id: randomUUID(),
      event_timestamp: 1_800_000_100_000_000_000,
      root_workflow_exec_id: id,
      workflow_exec_id: id,
      workflow_run_id: runId,
      workflow_name: 'shop',
      event_type,
      attributes: { task_id, activity_name: 'print', ...more },
    };
    const sent = await call(server, '/v1/workflows/events', { key, body: { event } });
    expect(sent.status, sent.text).toBe(200);
  }
  const begin = (run: { id: string; runId: string }, task: string) =>
    send(run, 'ACTIVITY_TASK_STARTED', task, { input: { type: 'json', value: ['Ada', Number(task)] } });
  const complete = (run: { id: string; runId: string }, task: string) =>
    send(run, 'ACTIVITY_TASK_COMPLETED', task, { result: { type: 'json', value: `page ${task}` } });

  type Shown = { event_type: string; event_timestamp: number; attributes: Record<string, unknown> };
  const read = async (id: string): Promise<Shown[]> => {
    const { body } = await call(server, `/v1/workflows/events/list?workflow_exec_id=${id}`, { key });
    return (body as { events: Shown[] }).events;
  };
  const told = async (id: string) =>
    (await read(id)).slice(1).map(({ event_type, attributes }) => {
      const attempt = attributes.attempt === undefined ? '' : ` ${attributes.attempt}`;
      return `${event_type.replace(/^(ACTIVITY_TASK|WORKFLOW_EXECUTION)_/, '')} ${String(attributes.task_id).slice(0, 2)}${attempt}`;
    });
  const end = (runId: string) =>
    cluster.finish(runId, {
      eventId: 99,
      eventTime: { seconds: 1_800_000_200 },
      eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
      workflowExecutionCompletedEventAttributes: {},
    } as never);
  const finish = async ({ id, runId }: { id: string; runId: string }) => {
    end(runId);
    const status = async () =>
      ((await call(server, `/v1/workflows/executions/${id}`, { key })).body as { status: string }).status;
    await expect.poll(status, WITHIN).toBe('COMPLETED');
  };

  it('are published before the next event of the run, in order and once', async () => {
    const run = await start();
    await begin(run, '1');
    const history = createHistory();
    history.completed('1');
    history.scheduled('2');
    const state = PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;
    cluster.work(run.runId, history.events, [{ activityId: '2', state, attempt: 2, lastFailure: failure('jam') }]);
    await complete(run, '2');
    await complete(run, '1');
    expect(await told(run.id)).toEqual(['STARTED 1', 'COMPLETED 1', 'STARTED 2', 'RETRYING 2 1', 'COMPLETED 2']);
    const [, , completed, started, retrying] = await read(run.id);
    expect(completed).toMatchObject({
      event_timestamp: 1_800_000_004_000_000,
      attributes: { activity_name: 'print', result: { type: 'json', value: 'page 1' } },
    });
    expect(started?.attributes.input).toEqual({ type: 'json', value: ['Ada', 2] });
    expect(retrying?.attributes.failure).toEqual({ message: 'jam' });
  });

  it('are published before the end of the run', async () => {
    const run = await start();
    const history = createHistory();
    history.completed('1');
    history.marker('count');
    history.marker('__internal__emit_task_started');
    history.failedTwice('2');
    cluster.work(run.runId, history.events);
    await finish(run);
    expect((await told(run.id)).slice(0, -1)).toEqual([
      'STARTED 1',
      'STARTED 9',
      'COMPLETED 1',
      'COMPLETED 9',
      'STARTED 2',
      'RETRYING 2 1',
      'FAILED 2 2',
    ]);
    const events = await read(run.id);
    expect(events.at(-1)?.event_type).toBe('WORKFLOW_EXECUTION_COMPLETED');
    expect(events.at(-2)?.attributes.failure).toEqual({ message: 'second' });
  });

  it('are not made up for a run whose worker delivered all', async () => {
    const run = await start();
    const history = createHistory();
    history.completed('1');
    cluster.work(run.runId, history.events);
    await begin(run, '1');
    await complete(run, '1');
    await finish(run);
    expect((await told(run.id)).slice(0, -1)).toEqual(['STARTED 1', 'COMPLETED 1']);
  });

  // It waits for the first round of a server, which is the same on both databases.
  it.runIf(database.kind === 'sqlite')(
    'are published by a server that starts again, though the run says nothing more',
    async () => {
      const run = await start();
      await begin(run, '1');
      await server.stop();
      const history = createHistory();
      history.completed('1');
      cluster.work(run.runId, history.events);
      server = await startTestServer(database, { environment });
      await expect.poll(() => told(run.id), WITHIN).toEqual(['STARTED 1', 'COMPLETED 1']);
    },
  );
});

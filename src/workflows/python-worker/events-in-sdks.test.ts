import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Mistral } from '@mistralai/mistralai';
import { temporal } from '@temporalio/proto';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { onSqliteFirst } from '../../../test/support/databases.ts';
import { type FakeTemporal, startFakeTemporal } from '../../../test/support/fake-temporal.ts';
import { python } from '../../../test/support/python.ts';
import { pythonWorker } from '../../../test/support/python-worker.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { WorkflowEventType } from '../schema/events.ts';
import { WITHIN } from '../workflows-for-tests.ts';

const { EventType } = temporal.api.enums.v1;

/** What the models of both SDKs require of every event; the values may be null where they say so. */
const REQUIRED = [
  'attributes',
  'chain_run_id',
  'continued_run_id',
  'event_id',
  'event_timestamp',
  'event_type',
  'first_execution_run_id',
  'parent_workflow_exec_id',
  'root_workflow_exec_id',
  'schedule_id',
  'workflow_exec_id',
  'workflow_name',
  'workflow_run_id',
];
const payload = { type: 'json', value: 1 };
const failure = { message: 'stuck' };
const step = { task_id: 's', activity_name: 'print' };
const task = { custom_task_id: 't', custom_task_type: 'progress' };
/** Events that only workers report. */
const REPORTED: Record<string, object> = {
  WORKFLOW_TASK_TIMED_OUT: { task_id: 'w', timeout_type: 'START_TO_CLOSE' },
  WORKFLOW_TASK_FAILED: { task_id: 'w', failure },
  CUSTOM_TASK_STARTED: { ...task, payload },
  CUSTOM_TASK_IN_PROGRESS: { ...task, payload: { type: 'json_patch', value: [{ op: 'add', path: '/a', value: 1 }] } },
  CUSTOM_TASK_COMPLETED: { ...task, payload },
  CUSTOM_TASK_FAILED: { ...task, failure },
  CUSTOM_TASK_TIMED_OUT: { ...task, timeout_type: null },
  CUSTOM_TASK_CANCELED: { ...task, reason: null },
  ACTIVITY_TASK_STARTED: { ...step, input: { ...payload, value: [1] } },
  ACTIVITY_TASK_COMPLETED: { ...step, result: payload },
  ACTIVITY_TASK_RETRYING: { ...step, attempt: 1, failure },
  ACTIVITY_TASK_FAILED: { ...step, attempt: 2, failure },
};

type Shown = { status: string; run_id: string };

onSqliteFirst('runs on Temporal', (database) => {
  let cluster: FakeTemporal;
  let server: TestServer;

  const read = async (id: string) => (await call(server, `/v1/workflows/executions/${id}`)).body as Shown;
  const list = async (query: string) =>
    ((await call(server, `/v1/workflows/runs?${query}`)).body as { executions: Shown[] }).executions;
  const last = (eventType: number, attributes: object) =>
    ({ eventId: 9, eventTime: { seconds: 1_800_000_000 }, eventType, ...attributes }) as never;

  async function start(): Promise<{ id: string; runId: string }> {
    const [id, runId] = [randomUUID(), randomUUID()];
    cluster.nameRuns({ [id]: runId });
    const body = { execution_id: id };
    expect((await call(server, '/v1/workflows/shop/execute', { body })).status).toBe(200);
    return { id, runId };
  }

  function continueAsNew({ id, runId }: { id: string; runId: string }): void {
    const next = randomUUID();
    const workflowType = { name: 'shop' };
    cluster.add({ executionId: id, runId: next, first: { eventId: 1, eventType: 1 } as never });
    const attributes = { newExecutionRunId: next, workflowType };
    const type = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW;
    cluster.finish(runId, last(type, { workflowExecutionContinuedAsNewEventAttributes: attributes }));
  }

  beforeAll(async () => {
    cluster = await startFakeTemporal();
    const environment = { TRAMONTANE_TEMPORAL_ADDRESS: cluster.address, TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0' };
    server = await startTestServer(database, { environment });
    const definitions = [{ name: 'shop', task_queue: 'main', input_schema: { type: 'object' } }];
    const body = { definitions, deployment_name: 'main', worker_name: 'python-1' };
    expect((await call(server, '/v1/workflows/register', { body })).status).toBe(200);
  });

  it('an execution that continues as new is running at every read', async () => {
    const run = await start();
    const before = await read(run.id);
    continueAsNew(run);
    const after = await read(run.id);
    expect([before.status, after.status]).toEqual(['RUNNING', 'RUNNING']);
    expect(after.run_id).not.toBe(before.run_id);
  });

  it('the list of runs says of a failing turn what the execution says', async () => {
    const [well, failing] = [await start(), await start()];
    cluster.retryTurn(failing.runId);
    const status = 'RETRYING_AFTER_ERROR';
    const { run_id } = await read(failing.id);
    expect((await read(failing.id)).status).toBe(status);
    expect(await list(`search=${failing.id}`)).toMatchObject([{ run_id, status }]);
    expect(await list(`search=${failing.id}&status=${status}`)).toMatchObject([{ run_id, status }]);
    expect(await list(`search=${failing.id}&status=RUNNING`)).toEqual([]);
    expect(await list(`search=${well.id}&status=RUNNING`)).toMatchObject([{ status: 'RUNNING' }]);
  });

  it('a page of runs that is narrowed by status is full, and a second look asks Temporal nothing', async () => {
    const query = 'search=paged&page_size=2';
    const runs: string[] = [];
    for (let index = 0; index < 7; index++) {
      const id = `paged-${randomUUID()}`;
      const runId = randomUUID();
      cluster.nameRuns({ [id]: runId });
      expect((await call(server, '/v1/workflows/shop/execute', { body: { execution_id: id } })).status).toBe(200);
      if (index % 3 === 0) cluster.retryTurn(runId);
      else runs.push(id);
    }
    const page = async (token?: string) => {
      const more = token === undefined ? '' : `&next_page_token=${encodeURIComponent(token)}`;
      const { body } = await call(server, `/v1/workflows/runs?${query}&status=RUNNING${more}`);
      return body as { executions: { execution_id: string }[]; next_page_token: string | null };
    };
    const first = await page();
    expect(first.executions.map(({ execution_id }) => execution_id)).toEqual(runs.toReversed().slice(0, 2));
    const second = await page(first.next_page_token ?? '');
    expect(second.executions.map(({ execution_id }) => execution_id)).toEqual(runs.toReversed().slice(2));

    const described = () => cluster.asked.filter(({ call: name }) => name === 'DescribeWorkflowExecution').length;
    // Two lists within the second for which an answer counts; a slow machine needs more than one try.
    const isAnsweredOnce = async () => {
      await list('search=paged');
      const before = described();
      await list('search=paged');
      return described() === before;
    };
    await expect.poll(isAnsweredOnce, WITHIN).toBe(true);
  });

  it('events of every type are read by both official SDKs', { timeout: 60_000 }, async () => {
    const reporting = await start();
    const events = Object.entries(REPORTED).map(([event_type, attributes]) => ({
      event_id: randomUUID(),
      event_timestamp: 1_800_000_000_000_000_000,
      root_workflow_exec_id: reporting.id,
      workflow_exec_id: reporting.id,
      workflow_run_id: reporting.runId,
      workflow_name: 'shop',
      event_type,
      attributes,
    }));
    const sent = await call(server, '/v1/workflows/events/batch', { body: { events } });
    expect(sent.status, sent.text).toBe(200);
    const ends: [number, object, string][] = [
      [
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
        { workflowExecutionCompletedEventAttributes: {} },
        'COMPLETED',
      ],
      [
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
        { workflowExecutionFailedEventAttributes: { failure } },
        'FAILED',
      ],
      [EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED, { workflowExecutionCanceledEventAttributes: {} }, 'CANCELED'],
    ];
    for (const [type, attributes, status] of ends) {
      const { id, runId } = await start();
      cluster.finish(runId, last(type, attributes));
      await expect.poll(async () => (await read(id)).status, WITHIN).toBe(status);
    }
    const continued = await start();
    continueAsNew(continued);
    await read(continued.id);

    const { body } = await call(server, '/v1/workflows/events/list?limit=1000');
    const stored = (body as { events: Record<string, unknown>[] }).events;
    const types = [...new Set(stored.map(({ event_type }) => event_type))].sort();
    expect(types).toEqual([...WorkflowEventType.options].sort());
    for (const event of stored) {
      expect(Object.keys(event).sort()).toEqual(REQUIRED);
      expect(event.chain_run_id).toBe(event.first_execution_run_id);
    }
    const { workflows } = new Mistral({ serverURL: server.url, apiKey: server.key });
    expect((await workflows.events.getWorkflowEvents({ limit: 1000 })).events).toHaveLength(stored.length);
    const program = pythonWorker ?? python;
    // Python takes seconds to load the SDK, and reads the same from both databases.
    if (program === undefined || database.kind !== 'sqlite') return;
    const script = join(import.meta.dirname, 'read-events-for-tests.py');
    const { stdout, stderr } = await run(program, [script, server.url, server.key]);
    expect(stdout.trim(), stderr).toBe(String(stored.length));
  });
});

function run(program: string, args: string[]): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => execFile(program, args, (_, stdout, stderr) => resolve({ stdout, stderr })));
}

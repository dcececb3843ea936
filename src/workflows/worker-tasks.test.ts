import { beforeAll, describe, expect, it } from 'vitest';
import type { PollResponse, WorkflowTask } from '../../packages/workflows/src/protocol.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { definitionOf, register, startWorkflows, type Workflows } from './workflows-for-tests.ts';

let at: Workflows;
let task: WorkflowTask;

const WORKER = { deployment_name: 'main', worker_name: 'worker-1' };
const POLL = {
  ...WORKER,
  max_workflow_tasks: 5,
  max_step_tasks: 5,
  workflows: ['by-hand'],
  steps: ['slow'],
  wait_ms: 0,
};
const OPTIONS = {
  retry: { max_attempts: 1, initial_interval_ms: 0, backoff: 1, max_interval_ms: 0, non_retryable_types: [] },
  timeout_ms: 60_000,
};
const STEP = { type: 'schedule_step', seq: 1, name: 'slow', input: [1], options: OPTIONS };

const advanceOf = ({ token, run_id, history_end }: WorkflowTask, change: object = {}) => ({
  ...WORKER,
  advances: [
    {
      token,
      run_id,
      base: history_end,
      time_ms: 1,
      step_results: [],
      commands: [],
      want_steps: 1,
      release: false,
      ...change,
    },
  ],
  steps: [],
});

/** A run whose first turn waits for this worker. */
async function begin(): Promise<WorkflowTask> {
  await at.send('POST', '/by-hand/execute', {});
  const { body } = await at.send('POST', '/workers/poll', POLL);
  const [first] = (body as PollResponse).workflow_tasks;
  if (!first) throw new Error('There was no turn to take.');
  return first;
}

const eventOf = ({ execution_id, run_id }: WorkflowTask, change: object = {}) => ({
  event_id: 'event-1',
  event_timestamp: 1_800_000_000_000_000_000,
  root_workflow_exec_id: execution_id,
  workflow_exec_id: execution_id,
  workflow_run_id: run_id,
  workflow_name: 'by-hand',
  event_type: 'CUSTOM_TASK_IN_PROGRESS',
  attributes: { custom_task_id: 't', custom_task_type: 'token', payload: { type: 'json', value: 'hello' } },
  ...change,
});

async function listed({ execution_id }: WorkflowTask): Promise<{ event_type: string; event_timestamp: number }[]> {
  const { body } = await at.send('GET', `/events/list?workflow_exec_id=${execution_id}`);
  return (body as { events: { event_type: string; event_timestamp: number }[] }).events;
}

beforeAll(async () => {
  at = await startWorkflows(sqliteForTests());
  await register(at.server, [definitionOf('by-hand')]);
  task = await begin();
});

const calls: [name: string, method: string, path: string, body: () => object | undefined][] = [
  ['poll', 'POST', '/workers/poll', () => POLL],
  ['advance', 'POST', '/workers/advance', () => advanceOf(task)],
  ['heartbeat', 'POST', '/workers/steps/heartbeat', () => ({ steps: [] })],
  ['query answers', 'POST', '/workers/queries', () => ({ answers: [] })],
  ['history', 'GET', '/workers/history?run_id=00000000-0000-7000-8000-000000000000', () => undefined],
  ['reports', 'POST', '/workers/reports', () => ({ deployment_name: 'main', worker_name: 'worker-1', reports: [] })],
  ['a look for a workflow', 'POST', '/workers/find-workflow', () => ({ workflow_name: 'by-hand' })],
  ['keys for payloads', 'GET', '/workers/payload-keys', () => undefined],
  ['an event', 'POST', '/events', () => ({ event: eventOf(task) })],
  ['events', 'POST', '/events/batch', () => ({ events: [] })],
];

describe('401 and 403', () => {
  it.each(calls)('%s asks for a key that may work', async (_name, method, path, body) => {
    expect((await at.send(method, path, body(), 'tmk_wrong')).status).toBe(401);
    const viewer = await addColleague(at.server, 'observability_viewer');
    expect((await at.send(method, path, body(), viewer)).status).toBe(403);
  });
});

describe('422', () => {
  it.each(calls.filter(([, method]) => method === 'POST'))(
    '%s refuses what it does not know',
    async (_name, method, path, body) => {
      const answer = await at.send(method, path, { ...body(), surprise: 1 });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'surprise'] }], code: 'WF_1001' });
    },
  );

  it('a command that is none, and a step without its options, change nothing', async () => {
    for (const commands of [[{ type: 'dance' }], [{ ...STEP, options: {} }], [{ type: 'complete' }]]) {
      const answer = await at.send('POST', '/workers/advance', advanceOf(task, { commands }));
      expect(answer.status).toBe(422);
    }
  });
});

describe('another workspace', () => {
  it('has no turns, steps, history or executions of this one', async () => {
    const stranger = await addStranger(at.server);
    const mine = await begin();
    const ask = (path: string, body: object) => at.send('POST', path, body, stranger);
    expect((await ask('/workers/poll', POLL)).body).toMatchObject({ workflow_tasks: [], step_tasks: [] });
    const ending = advanceOf(mine, { commands: [{ type: 'complete', result: 1 }] });
    expect((await ask('/workers/advance', ending)).body).toEqual({ advances: [{ status: 'stale' }], steps: [] });
    const token = `${mine.run_id}.5.1`;
    expect((await ask('/workers/steps/heartbeat', { steps: [{ token }] })).body).toEqual({
      steps: [{ status: 'stale' }],
    });
    const history = await at.send('GET', `/workers/history?run_id=${mine.run_id}`, undefined, stranger);
    expect(history.body).toEqual({ events: [] });
    expect((await ask('/events', { event: eventOf(mine) })).status).toBe(404);
  });
});

describe('200', () => {
  it('takes a turn, grants its step, and takes the result with the next turn', async () => {
    const first = await begin();
    const granted = await at.send('POST', '/workers/advance', advanceOf(first, { commands: [STEP] }));
    const [answer] = (granted.body as { advances: [{ last_event_id: number; granted: { token: string }[] }] }).advances;
    expect(answer).toMatchObject({ status: 'ok', last_event_id: 5, first_command_event_id: 5 });
    const step_results = [{ token: answer.granted[0]?.token, result: 'done' }];
    const ending = { base: answer.last_event_id, step_results, commands: [{ type: 'complete', result: 'done' }] };
    await at.send('POST', '/workers/advance', advanceOf(first, ending));
    const { body } = await at.send('GET', `/executions/${first.execution_id}`);
    expect(body).toMatchObject({ status: 'COMPLETED', result: 'done' });
  });

  it('takes an event once, its nanoseconds as microseconds [WORKFLOWS-EVENT-NANOSECONDS] [WORKFLOWS-SAFE-INTEGERS]', async () => {
    const first = await begin();
    const sent = { event: eventOf(first, { event_id: 'once' }) };
    expect((await at.send('POST', '/events', sent)).body).toEqual({ status: 'success' });
    const second = eventOf(first, { event_id: 'twice', event_timestamp: 1_800_000_000_000_001 });
    const batch = await at.send('POST', '/events/batch', { events: [sent.event, second] });
    expect(batch.body).toEqual({ status: 'success', events_received: 2 });
    const custom = (await listed(first)).filter(({ event_type }) => event_type === 'CUSTOM_TASK_IN_PROGRESS');
    expect(custom.map(({ event_timestamp }) => event_timestamp).sort()).toEqual([
      1_800_000_000_000_000, 1_800_000_000_000_001,
    ]);
  });
});

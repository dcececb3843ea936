import { expect, it } from 'vitest';
import { defineStep } from '../define-step.ts';
import { defineWorkflow } from '../define-workflow.ts';
import type { AnyStep, AnyWorkflow, Log } from '../definitions.ts';
import type { Advance, AdvanceResponse, StepTask, WorkflowTask } from '../protocol.ts';
import type { Api, Sized } from './api.ts';
import { createRuns } from './runs.ts';
import { createSender } from './sender.ts';
import { createSteps } from './steps.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const started: number[] = [];
const count = defineStep('runs-count', async (n: number) => {
  started.push(n);
  return n + 1;
});
const limited = defineStep('runs-limited', { rateLimit: { max: 1, windowMs: 1000 } }, async (n: number) => n + 1);
const careful = defineStep('runs-careful', { recordFirst: true }, async (n: number) => {
  started.push(n);
  return n + 1;
});
const pays = defineWorkflow('runs-pays', {}, async (ctx) => ctx.step(careful, 0));
const two = defineWorkflow('runs-two', {}, async (ctx) => ctx.step(count, await ctx.step(count, 0)));
const slow = defineWorkflow('runs-slow', {}, async (ctx) => ctx.step(limited, 0));
const many = defineWorkflow('runs-many', {}, async (ctx) => {
  let n = 0;
  while (n < 100) n = await ctx.step(count, n);
  return n;
});

/** A worker's runs, and a server that answers when the test says so. */
function open() {
  started.length = 0;
  const messages: Advance[][] = [];
  const answers: ((advances: AdvanceResponse['advances']) => void)[] = [];
  const post = (_path: string, body: string): Promise<Sized<unknown>> => {
    messages.push((JSON.parse(body) as { advances: Advance[] }).advances);
    return new Promise((resolve) => {
      answers.push((advances) => resolve({ data: { advances, steps: [] }, characters: 10 }));
    });
  };
  const api = { post, url: '', apiKey: '' } as unknown as Api;
  const common = { now: Date.now, logFor: () => SILENT, onFree: () => undefined, onTrouble: () => undefined };
  const known = <T extends { name: string }>(list: T[]) => new Map(list.map((one) => [one.name, one]));
  const runs = createRuns({
    ...common,
    workflows: known<AnyWorkflow>([two, slow, pays, many]),
    sender: createSender({
      api,
      identity: { deployment_name: 'default', worker_name: 'one' },
      signal: new AbortController().signal,
    }),
    steps: createSteps({ ...common, api, steps: known<AnyStep>([count, limited, careful]), max: 10 }),
    readHistory: async () => ({ events: [], characters: 0 }),
    platform: { url: '', apiKey: '' },
    cache: { runsMax: 10, charactersMax: 1e9 },
  });
  return { runs, messages, answers };
}

const RUN = '01890000-0000-7000-8000-000000000001';
const taskOf = (workflow: string, more: Partial<WorkflowTask> = {}): WorkflowTask => ({
  token: `${RUN}.1`,
  execution_id: 'e',
  root_execution_id: 'e',
  run_id: RUN,
  workflow_name: workflow,
  registration_id: 'r',
  attempt: 1,
  history_after: 0,
  history: [
    { id: 1, type: 'WORKFLOW_EXECUTION_STARTED', time_ms: 1, attributes: { input: null } },
    { id: 2, type: 'WORKFLOW_TASK_SCHEDULED', time_ms: 1, attributes: {} },
  ],
  history_end: 2,
  lease_until_ms: 0,
  ...more,
});

const untilSent = (messages: unknown[], count: number) =>
  expect.poll(() => messages.length, { interval: 1 }).toBeGreaterThanOrEqual(count);
const ok = (first: number, granted: StepTask[] = []) =>
  ({ status: 'ok', first_command_event_id: first, last_event_id: first, granted, lease_until_ms: 0 }) as const;

it('sends turns ahead with the ids that their events will have', async () => {
  const { runs, messages, answers } = open();
  runs.begin(taskOf('runs-two'));
  await untilSent(messages, 1);
  const [first, second, third] = messages[0] ?? [];
  expect(first).toMatchObject({ base: 2, commands: [{ type: 'schedule_step', seq: 1 }], want_steps: 1 });
  expect(second).toMatchObject({ base: 5, step_results: [{ token: `${RUN}.5.1`, result: 1 }] });
  expect(third).toMatchObject({ base: 11, step_results: [{ token: `${RUN}.11.1`, result: 2 }] });
  expect(third?.commands).toEqual([{ type: 'complete', result: 2 }]);
  answers[0]?.([ok(5), ok(11), ok(17)]);
  await expect.poll(() => runs.busy).toBe(0);
  expect(runs.cached).toBe(0);
});

it('begins no step ahead in a turn that another worker did not survive', async () => {
  const { runs, messages, answers } = open();
  runs.begin(taskOf('runs-two', { attempt: 2 }));
  await untilSent(messages, 1);
  expect(messages[0]).toHaveLength(1);
  expect(started).toEqual([]);
  const granted: StepTask = {
    ...{ token: `${RUN}.5.1`, execution_id: 'e', run_id: RUN, root_execution_id: 'e', workflow_name: 'runs-two' },
    ...{ scheduled_event_id: 5, activity_id: '1', name: 'runs-count', input: [0], attempt: 1, timeout_ms: 1000 },
    lease_until_ms: 0,
  };
  answers[0]?.([ok(5, [granted])]);
  await untilSent(messages, 2);
  expect(messages[1]?.map(({ base }) => base)).toEqual([5, 11]);
});

it('leaves it to the server when a step with a rate limit begins', async () => {
  const { runs, messages } = open();
  runs.begin(taskOf('runs-slow'));
  await untilSent(messages, 1);
  expect(messages[0]).toHaveLength(1);
});

it('begins a step with recordFirst only when the server has stored it', async () => {
  const { runs, messages } = open();
  runs.begin(taskOf('runs-pays'));
  await untilSent(messages, 1);
  expect(messages[0]).toHaveLength(1);
  expect(started).toEqual([]);
});

it('waits for the answer of a server that does not say which execution is the root', async () => {
  const { runs, messages } = open();
  const { root_execution_id: _, ...task } = taskOf('runs-two');
  runs.begin(task);
  await untilSent(messages, 1);
  expect(messages[0]).toHaveLength(1);
  expect(started).toEqual([]);
});

it('is at most 32 turns ahead of the server', async () => {
  const { runs, messages, answers } = open();
  runs.begin(taskOf('runs-many'));
  await untilSent(messages, 1);
  expect(messages[0]).toHaveLength(32);
  expect(started).toHaveLength(32);
  answers[0]?.((messages[0] ?? []).map((_, at) => ok(5 + 6 * at)));
  await untilSent(messages, 2);
  expect(messages[1]?.[0]?.base).toBe(5 + 6 * 31);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Advance, Command, StepResult, WorkflowTask } from '../../../../packages/workflows/src/protocol.ts';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import type { Database } from '../../../kit/db/index.ts';
import { startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { scene } from './engine-for-tests.ts';
import { stepOptions } from './worker-for-tests.ts';

const step = (seq: number): Command => ({
  type: 'schedule_step',
  seq,
  name: 'double',
  input: [seq],
  options: stepOptions(),
});

onEachDatabase('several turns of a run in one request', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  const worker = { deployment_name: 'main', worker_name: 'ahead' };

  /** A run that this worker has, and its way to send turns. */
  async function open() {
    const at = await scene(database, { workflows: {}, steps: {} });
    const asked = { max_workflow_tasks: 1, max_step_tasks: 1, workflows: ['ahead'], steps: ['double'], wait_ms: 1000 };
    const polled = at.workers.poll(WORKSPACE, { ...worker, ...asked }, new AbortController().signal);
    const { executionId } = await at.engine.start(startOf('ahead', null));
    const task = (await polled).workflow_tasks[0] as WorkflowTask;
    const turn = (base: number, commands: Command[], results: StepResult[] = [], time_ms = at.now()): Advance => ({
      ...{ token: task.token, run_id: task.run_id, base, time_ms },
      ...{ step_results: results, commands, want_steps: commands.length, release: false },
    });
    const send = async (advances: Advance[]) =>
      (await at.workers.advance(WORKSPACE, { ...worker, advances, steps: [] })).advances;
    const doneOf = (eventId: number): StepResult => ({ token: `${task.run_id}.${eventId}.1`, result: eventId });
    return { ...at, executionId, runId: task.run_id, turn, send, doneOf };
  }

  it('make the same history as one after the other', async () => {
    const [together, apart] = [await open(), await open()];
    const turnsOf = ({ turn, doneOf }: typeof together) => [
      turn(2, [step(1)]),
      turn(5, [step(2)], [doneOf(5)]),
      turn(11, [{ type: 'complete', result: 'done' }], [doneOf(11)]),
    ];
    const answers = await together.send(turnsOf(together));
    expect(answers.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    for (const advance of turnsOf(apart)) expect((await apart.send([advance]))[0]?.status).toBe('ok');
    expect(await together.look(together.executionId)).toMatchObject({ status: 'COMPLETED', result: 'done' });
    expect(await together.types(together.runId)).toEqual(await apart.types(apart.runId));
    expect(await together.publicTypes(together.executionId)).toEqual(await apart.publicTypes(apart.executionId));
  });

  it('are all stale after one that is: what a rejected turn asked for was never begun', async () => {
    const { engine, turn, doneOf, send, executionId, types, runId } = await open();
    await engine.signal({ workspaceId: WORKSPACE, executionId }, 'word', null);
    const answers = await send([
      turn(2, [step(1)]),
      turn(5, [step(2)], [doneOf(5)]),
      turn(11, [{ type: 'complete', result: 'done' }], [doneOf(11)]),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['ok', 'stale', 'stale']);
    const next = answers[1]?.next;
    expect(next).toMatchObject({ history_after: 0, run_id: runId });
    const known = await types(runId);
    expect(known.filter((type) => type === 'ACTIVITY_TASK_SCHEDULED')).toHaveLength(1);
    // The result of the step that was begun counts.
    expect(known.filter((type) => type === 'ACTIVITY_TASK_COMPLETED')).toHaveLength(1);
    expect(next?.history_end).toBe(known.length);
  });

  it('happened when the worker says, not all at once, and never before what was known', async () => {
    const { engine, clock, turn, doneOf, send, runId } = await open();
    const startedMs = clock.ms;
    clock.ms += 1000;
    const workersMs = 5_000_000;
    await send([
      turn(2, [step(1)], [], workersMs - 3000),
      turn(5, [step(2)], [doneOf(5)], workersMs - 400),
      turn(11, [{ type: 'complete', result: null }], [doneOf(11)], workersMs),
    ]);
    const history = await engine.history(WORKSPACE, runId, 0, 100);
    const timesOf = (type: string) => history.filter((event) => event.type === type).map(({ time_ms }) => time_ms);
    expect(timesOf('ACTIVITY_TASK_SCHEDULED')).toEqual([startedMs + 1, clock.ms - 400]);
    expect(timesOf('ACTIVITY_TASK_COMPLETED')).toEqual([clock.ms - 400, clock.ms]);
  });

  it('of another workspace are stale, and change nothing', async () => {
    const { workers, turn, types, runId } = await open();
    const before = await types(runId);
    const other = '00000000-0000-4000-8000-00000000ffff';
    const { advances } = await workers.advance(other, {
      ...worker,
      advances: [turn(2, [step(1)]), turn(5, [])],
      steps: [],
    });
    expect(advances).toEqual([{ status: 'stale' }, { status: 'stale' }]);
    expect(await types(runId)).toEqual(before);
  });
});

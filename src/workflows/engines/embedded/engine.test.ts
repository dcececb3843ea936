import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../../../test/support/databases.ts';
import type { Database } from '../../../kit/db/index.ts';
import { startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { scene } from './engine-for-tests.ts';
import { type Code, Failed } from './worker-for-tests.ts';

let failures = 0;

const code: Code = {
  steps: {
    double: ([n]) => Number(n) * 2,
    fails: () => {
      throw new Failed({ message: 'No luck', type: 'Unlucky' });
    },
    failsTwice: () => {
      if (failures++ < 2) throw new Failed({ message: 'Not yet' });
      return 'at last';
    },
    dies: () => {
      throw new Failed({ message: 'Broken', non_retryable: true });
    },
  },
  workflows: {
    threeSteps: async (ctx, input) => {
      let n = input;
      for (let i = 0; i < 3; i++) n = await ctx.step('double', [n]);
      return n;
    },
    parallel: async (ctx) => Promise.all([1, 2, 3].map((n) => ctx.step('double', [n]))),
    oneStep: async (ctx, name) => ctx.step(String(name)),
    retries: async (ctx) =>
      ctx.step('fails', [], {
        retry: {
          max_attempts: 3,
          initial_interval_ms: 1000,
          backoff: 2,
          max_interval_ms: 60_000,
          non_retryable_types: [],
        },
      }),
    sleeper: async (ctx, ms) => {
      await ctx.sleep(Number(ms));
      return 'awake';
    },
    impatient: async (ctx) => {
      const timer = ctx.sleep(60_000);
      const signal = await ctx.signal('go');
      timer.cancel();
      return signal;
    },
    collector: async (ctx, count) => {
      const all = [];
      for (let i = 0; i < Number(count); i++) all.push(await ctx.signal('item'));
      return all;
    },
    counter: async (ctx, n) => {
      if (Number(n) < 3) ctx.continueAsNew(Number(n) + 1);
      return n;
    },
    updatable: async (ctx) => {
      let value = 0;
      ctx.onUpdate('add', async (n) => {
        if (n === 0) throw new Error('nothing to add');
        value += Number(await ctx.step('double', [n]));
        return value;
      });
      await ctx.signal('stop');
      return value;
    },
    parent: async (ctx, name) => ({ child: await ctx.child(String(name), 3) }),
    careful: async (ctx) => {
      await ctx.cancelled();
      await ctx.step('double', [1]);
      throw new Failed({ message: 'cancelled', type: 'Cancelled' });
    },
    guardian: async (ctx, policy) => {
      await ctx.child('forever', null, {
        wait: false,
        execution_id: `ward-${policy}`,
        parent_close_policy: policy as 'abandon',
      });
      return 'done';
    },
    forever: async (ctx) => ctx.signal('never'),
    announces: async (ctx) => {
      ctx.emit({ event_type: 'CUSTOM_TASK_STARTED', custom_task_id: 't', custom_task_type: 'progress' });
      await ctx.step('double', [1]);
      ctx.emit({ event_type: 'CUSTOM_TASK_COMPLETED', custom_task_id: 't', custom_task_type: 'progress' });
      return null;
    },
    messenger: async (ctx, target) => {
      ctx.command({ type: 'signal_execution', seq: 1, execution_id: String(target), name: 'item', input: 'hello' });
      return 'sent';
    },
  },
};

onEachDatabase('the engine', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  it('runs three steps, each a turn of its own, to a result', async () => {
    const at = await scene(database, code);
    const { executionId, runId, result } = await at.run('threeSteps', 5);
    expect(result).toBe(40);
    const turn = ['WORKFLOW_TASK_SCHEDULED', 'WORKFLOW_TASK_STARTED', 'WORKFLOW_TASK_COMPLETED'];
    const step = ['ACTIVITY_TASK_SCHEDULED', 'ACTIVITY_TASK_STARTED', 'ACTIVITY_TASK_COMPLETED'];
    const thrice = [...turn, ...step, ...turn, ...step, ...turn, ...step];
    const [first, last] = ['WORKFLOW_EXECUTION_STARTED', 'WORKFLOW_EXECUTION_COMPLETED'];
    expect(await at.types(runId)).toEqual([first, ...thrice, ...turn, last]);
    const shown = ['ACTIVITY_TASK_STARTED', 'ACTIVITY_TASK_COMPLETED'];
    expect(await at.publicTypes(executionId)).toEqual([first, ...shown, ...shown, ...shown, last]);
  });

  it('runs parallel steps and gives each its own result', async () => {
    const at = await scene(database, code);
    expect((await at.run('parallel')).result).toEqual([2, 4, 6]);
  });

  it('gives steps that the worker did not ask for to whoever polls', async () => {
    const at = await scene(database, code, { wantSteps: 0 });
    expect((await at.run('threeSteps', 1)).result).toBe(8);
  });

  describe('a step that fails', () => {
    it('is tried again after growing delays, and then fails the workflow', async () => {
      const at = await scene(database, code);
      const { executionId } = await at.run('retries');
      await at.pass(999);
      expect(await at.publicTypes(executionId)).toHaveLength(3);
      await at.pass(1);
      expect((await at.publicTypes(executionId)).at(-1)).toBe('ACTIVITY_TASK_RETRYING');
      await at.pass(1999);
      expect((await at.look(executionId)).status).toBe('RUNNING');
      await at.pass(1);
      const { status, failure, runId } = await at.look(executionId);
      expect({ status, failure }).toMatchObject({ status: 'FAILED', failure: { message: 'No luck', type: 'Unlucky' } });
      const history = await at.engine.history(WORKSPACE, runId, 0, 100);
      expect(history.filter(({ type }) => type === 'ACTIVITY_TASK_FAILED')).toMatchObject([
        { attributes: { attempt: 3 } },
      ]);
      expect(history.find(({ type }) => type === 'ACTIVITY_TASK_STARTED')?.attributes).toMatchObject({
        attempt: 3,
        last_failure: { message: 'No luck' },
      });
    });

    it('completes when a later attempt does', async () => {
      failures = 0;
      const at = await scene(database, code);
      const { executionId } = await at.run('oneStep', 'failsTwice');
      await at.pass(10);
      await at.pass(20);
      expect(await at.look(executionId)).toMatchObject({ status: 'COMPLETED', result: 'at last' });
    });

    it('is not tried again when its failure says so', async () => {
      const at = await scene(database, code);
      expect(await at.run('oneStep', 'dies')).toMatchObject({ status: 'FAILED', failure: { message: 'Broken' } });
    });
  });

  describe('a timer', () => {
    it('fires when its time has come and not before', async () => {
      const at = await scene(database, code);
      const { executionId } = await at.run('sleeper', 60_000);
      await at.pass(59_999);
      expect((await at.look(executionId)).status).toBe('RUNNING');
      await at.pass(1);
      expect((await at.look(executionId)).result).toBe('awake');
    });

    it('that was cancelled does not fire', async () => {
      const at = await scene(database, code);
      const { executionId, runId } = await at.run('impatient');
      await at.engine.signal({ workspaceId: WORKSPACE, executionId }, 'go', 'now');
      await at.settle();
      expect((await at.look(executionId)).result).toBe('now');
      await at.pass(120_000);
      expect(await at.types(runId)).not.toContain('TIMER_FIRED');
    });
  });

  it('delivers signals in their order, also those that came before the workflow waited', async () => {
    const at = await scene(database, code);
    const { executionId } = await at.engine.start(startOf('collector', 3));
    for (const item of ['a', 'b', 'c']) await at.engine.signal({ workspaceId: WORKSPACE, executionId }, 'item', item);
    await at.settle();
    expect((await at.look(executionId)).result).toEqual(['a', 'b', 'c']);
  });

  it('refuses to signal what has ended (409 WF_1102) or belongs to another workspace (404)', async () => {
    const at = await scene(database, code);
    const { executionId } = await at.run('threeSteps', 1);
    const signal = (workspaceId: string) => at.engine.signal({ workspaceId, executionId }, 'x', null);
    await expect(signal(WORKSPACE)).rejects.toMatchObject({ status: 409, wireCode: 'WF_1102' });
    await expect(signal('another')).rejects.toMatchObject({ status: 404 });
  });

  it('answers an update when its handler has, after the steps that it took', async () => {
    const at = await scene(database, code);
    const { executionId } = await at.run('updatable');
    const target = { workspaceId: WORKSPACE, executionId };
    const update = at.engine.update(target, 'add', 4, AbortSignal.timeout(20_000));
    const refused = at.engine.update(target, 'add', 0, AbortSignal.timeout(20_000));
    expect(await at.until(Promise.allSettled([update, refused]))).toMatchObject([
      { status: 'fulfilled', value: 8 },
      { status: 'rejected', reason: { message: expect.stringContaining('nothing to add') } },
    ]);
  });

  it.runIf(isSqliteOrFull(test))('tells who waits for an update that its execution has ended', async () => {
    const at = await scene(database, code);
    const { executionId } = await at.run('forever');
    const target = { workspaceId: WORKSPACE, executionId };
    const update = at.engine.update(target, 'nobody', null, AbortSignal.timeout(10_000));
    await at.committed();
    await at.engine.terminate(target);
    await expect(update).rejects.toMatchObject({ message: expect.stringContaining('TERMINATED') });
  });

  it('answers a query from a worker without a trace in the history', async () => {
    const at = await scene(database, code);
    const { executionId, runId } = await at.run('forever');
    const before = await at.types(runId);
    const answer = at.engine.query({ workspaceId: WORKSPACE, executionId }, 'state', 1, AbortSignal.timeout(20_000));
    expect(await at.until(answer)).toEqual({ name: 'state', input: 1 });
    expect(await at.types(runId)).toEqual(before);
  });

  it('continues as new under the same execution with an empty history', async () => {
    const at = await scene(database, code);
    const { executionId, runId } = await at.engine.start(startOf('counter', 1));
    const end = at.engine.waitForEnd(WORKSPACE, executionId, AbortSignal.timeout(20_000));
    await at.settle();
    const last = await end;
    expect(last).toMatchObject({ executionId, status: 'COMPLETED', result: 3 });
    expect(last.runId).not.toBe(runId);
    expect(await at.engine.getByRun(WORKSPACE, runId)).toMatchObject({ status: 'CONTINUED_AS_NEW' });
    expect(await at.types(last.runId)).toHaveLength(5);
  });

  describe('a child', () => {
    it('gives its result to its parent and shares its stream', async () => {
      const at = await scene(database, code);
      const { executionId, result } = await at.run('parent', 'threeSteps');
      expect(result).toEqual({ child: 24 });
      const started = (await at.publicTypes(executionId)).filter((type) => type === 'WORKFLOW_EXECUTION_STARTED');
      expect(started).toHaveLength(2);
    });

    it('that fails fails in its parent', async () => {
      const at = await scene(database, code);
      expect(await at.run('parent', 'announcesNothing')).toMatchObject({ status: 'RUNNING' });
      expect(await at.run('parent', 'missing')).toMatchObject({
        status: 'FAILED',
        failure: { type: 'ChildNotStarted' },
      });
    });

    it('is terminated, cancelled or left alone when its parent ends, as was agreed', async () => {
      const at = await scene(database, code);
      for (const policy of ['terminate', 'request_cancel', 'abandon']) await at.run('guardian', policy);
      expect((await at.look('ward-terminate')).status).toBe('TERMINATED');
      expect((await at.look('ward-abandon')).status).toBe('RUNNING');
      const { runId } = await at.look('ward-request_cancel');
      expect(await at.types(runId)).toContain('WORKFLOW_EXECUTION_CANCEL_REQUESTED');
    });
  });

  it('lets a workflow clean up when it is cancelled', async () => {
    const at = await scene(database, code);
    const { executionId, runId } = await at.run('careful');
    await at.engine.cancel({ workspaceId: WORKSPACE, executionId }, 'enough');
    await at.settle();
    expect((await at.look(executionId)).status).toBe('CANCELED');
    expect(await at.types(runId)).toContain('ACTIVITY_TASK_COMPLETED');
  });

  it('terminates at once, without a worker', async () => {
    const at = await scene(database, code);
    const { executionId } = await at.engine.start(startOf('forever'));
    await at.engine.terminate({ workspaceId: WORKSPACE, executionId }, 'enough');
    expect((await at.look(executionId)).status).toBe('TERMINATED');
  });

  it('ends an execution that outlasts its timeout', async () => {
    const at = await scene(database, code);
    const { executionId } = await at.run('forever', null, { executionTimeoutMs: 5000 });
    await at.pass(4999);
    expect((await at.look(executionId)).status).toBe('RUNNING');
    await at.pass(1);
    expect(await at.look(executionId)).toMatchObject({ status: 'TIMED_OUT', failure: { type: 'ExecutionTimeout' } });
  });

  it('refuses a second start under the id of a running execution, and takes it once that has ended', async () => {
    const at = await scene(database, code);
    const { runId } = await at.run('forever', null, { executionId: 'mine' });
    const again = () => at.engine.start(startOf('threeSteps', 1, { executionId: 'mine' }));
    await expect(again()).rejects.toMatchObject({ status: 409, wireCode: 'WF_1101' });
    await at.engine.terminate({ workspaceId: WORKSPACE, executionId: 'mine' });
    expect((await again()).runId).not.toBe(runId);
  });

  it('signals one execution from another', async () => {
    const at = await scene(database, code);
    const { executionId } = await at.run('collector', 1);
    await at.run('messenger', executionId);
    expect((await at.look(executionId)).result).toEqual(['hello']);
  });

  it('publishes the events of custom tasks in their order', async () => {
    const at = await scene(database, code);
    const { executionId } = await at.run('announces');
    expect((await at.publicTypes(executionId)).slice(1, -1)).toEqual([
      'CUSTOM_TASK_STARTED',
      'ACTIVITY_TASK_STARTED',
      'ACTIVITY_TASK_COMPLETED',
      'CUSTOM_TASK_COMPLETED',
    ]);
  });

  it('resets to the end of a turn: what came after it is done again, signals are kept', async () => {
    const at = await scene(database, code);
    const { executionId, runId } = await at.run('threeSteps', 5);
    const target = { workspaceId: WORKSPACE, executionId };
    const history = await at.engine.history(WORKSPACE, runId, 0, 100);
    const turnEnds = history.filter(({ type }) => type === 'WORKFLOW_TASK_COMPLETED').map(({ id }) => id);
    const reset = (eventId: number) =>
      at.engine.reset(target, { eventId, excludeSignals: false, excludeUpdates: false });
    await expect(reset(3)).rejects.toMatchObject({ extra: { valid_reset_events: turnEnds } });
    await reset(turnEnds[1] ?? 0);
    await at.settle();
    const { runId: newRun, result, status } = await at.look(executionId);
    expect({ result, status }).toEqual({ result: 40, status: 'COMPLETED' });
    expect(newRun).not.toBe(runId);
    expect(await at.types(newRun)).toEqual(history.map(({ type }) => type));
  });
});

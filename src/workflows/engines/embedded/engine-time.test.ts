import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Advance, Command, CustomTaskEvent, PollRequest } from '../../../../packages/workflows/src/protocol.ts';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import type { Database } from '../../../kit/db/index.ts';
import { startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { engineForTests, scene } from './engine-for-tests.ts';
import { LEASE_MS } from './limits.ts';
import { type Code, createTestWorker, stepOptions } from './worker-for-tests.ts';

const code: Code = {
  steps: { echo: ([value]) => value ?? null },
  workflows: {
    echoes: async (ctx, count) => {
      for (let i = 0; i < Number(count); i++) await ctx.step('echo', [i]);
      return 'done';
    },
    limited: async (ctx) => {
      const rate_limit = { key: 'api', max: 2, window_ms: 1000 };
      await Promise.all([1, 2, 3, 4, 5].map((n) => ctx.step('echo', [n], { rate_limit })));
      return ctx.now();
    },
    sleeper: async (ctx) => ctx.sleep(1000),
    resting: async (ctx) => ctx.sleep(3 * LEASE_MS),
    forever: async (ctx) => ctx.signal('never'),
  },
};

const ASK: PollRequest = {
  deployment_name: 'main',
  worker_name: 'by-hand',
  max_workflow_tasks: 10,
  max_step_tasks: 10,
  workflows: ['byHand'],
  steps: ['slow'],
  wait_ms: 1,
};

const LAST: CustomTaskEvent = {
  event_type: 'CUSTOM_TASK_IN_PROGRESS',
  custom_task_id: 't',
  custom_task_type: 'token',
  payload: { type: 'json', value: 'hello' },
};

onEachDatabase('over time', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  /** A worker whose every word is chosen here, with a run that has asked for one slow step. */
  async function byHand(options: Parameters<typeof stepOptions>[0], wantSteps = 1) {
    const at = await scene(database, code);
    const { executionId, runId } = await at.engine.start(startOf('byHand'));
    const poll = (more: Partial<PollRequest> = {}) =>
      at.workers.poll(WORKSPACE, { ...ASK, ...more }, AbortSignal.timeout(20_000));
    const advance = async (change: Partial<Advance>, worker_name = ASK.worker_name) => {
      const full = {
        token: '',
        run_id: runId,
        base: 2,
        time_ms: at.now(),
        step_results: [],
        commands: [],
        want_steps: 0,
        release: false,
      };
      const request = { deployment_name: 'main', worker_name, advances: [{ ...full, ...change }], steps: [] };
      const { advances } = await at.workers.advance(WORKSPACE, request);
      const [answer] = advances;
      if (!answer) throw new Error('There was no answer.');
      return answer;
    };
    const [task] = (await poll()).workflow_tasks;
    const token = task?.token ?? '';
    const schedule: Command = { type: 'schedule_step', seq: 1, name: 'slow', input: [], options: stepOptions(options) };
    const answer = await advance({ token, commands: [schedule], want_steps: wantSteps });
    const granted = answer.status === 'ok' ? answer.granted : [];
    return { ...at, executionId, runId, poll, advance, token, granted, step: granted[0] };
  }

  describe('a worker that falls silent', () => {
    it('loses its step to another, and its own result comes too late', async () => {
      const at = await byHand({});
      at.clock.ms += LEASE_MS;
      await at.runDue();
      const { step_tasks } = await at.poll({ worker_name: 'other' });
      expect(step_tasks).toMatchObject([{ name: 'slow', attempt: 1 }]);
      const late = { token: at.step?.token ?? '', result: 'late' };
      const report = (steps: (typeof late)[]) =>
        at.workers.advance(WORKSPACE, { deployment_name: 'main', worker_name: 'x', advances: [], steps });
      expect((await report([late])).steps).toEqual([{ status: 'stale' }]);
      expect((await report([{ token: step_tasks[0]?.token ?? '', result: 'in time' }])).steps).toEqual([
        { status: 'ok' },
      ]);
      const history = await at.engine.history(WORKSPACE, at.runId, 0, 100);
      expect(history.find(({ type }) => type === 'ACTIVITY_TASK_COMPLETED')?.attributes.result).toBe('in time');
    });

    it('keeps its step while it sends heartbeats, and the next attempt knows what they said', async () => {
      const at = await byHand({ timeout_ms: 10 * LEASE_MS });
      const beat = () =>
        at.workers.heartbeatSteps(WORKSPACE, { steps: [{ token: at.step?.token ?? '', details: 'half' }] });
      for (let i = 0; i < 5; i++) {
        at.clock.ms += LEASE_MS - 1;
        expect(await beat()).toEqual({ steps: [{ status: 'ok' }] });
        await at.runDue();
      }
      at.clock.ms += LEASE_MS;
      await at.runDue();
      expect(await beat()).toEqual({ steps: [{ status: 'stale' }] });
      expect((await at.poll()).step_tasks).toMatchObject([{ last_heartbeat: 'half' }]);
    });

    it('keeps a step for as long as its heartbeats may be apart', async () => {
      const at = await byHand({ heartbeat_ms: 10 * LEASE_MS, timeout_ms: 100 * LEASE_MS });
      for (const ms of [3 * LEASE_MS, 6 * LEASE_MS, 9 * LEASE_MS]) {
        at.clock.ms += ms;
        await at.runDue();
        const beat = { steps: [{ token: at.step?.token ?? '', details: ms }] };
        expect(await at.workers.heartbeatSteps(WORKSPACE, beat)).toEqual({ steps: [{ status: 'ok' }] });
      }
    });

    it('has its turn taken by another', async () => {
      const at = await scene(database, code);
      await at.engine.start(startOf('byHand'));
      const ask = (worker_name: string) =>
        at.workers.poll(WORKSPACE, { ...ASK, worker_name }, AbortSignal.timeout(20_000));
      const [first] = (await ask('one')).workflow_tasks;
      expect((await ask('two')).workflow_tasks).toEqual([]);
      at.clock.ms += LEASE_MS;
      await at.runDue();
      const [second] = (await ask('two')).workflow_tasks;
      expect(second).toMatchObject({ run_id: first?.run_id, attempt: 2, history_after: 0 });
      expect(second?.token).not.toBe(first?.token);
    });
  });

  describe('a step', () => {
    it('whose attempt takes too long is tried again, then timed out', async () => {
      const at = await byHand({
        timeout_ms: 1000,
        retry: { ...stepOptions().retry, max_attempts: 2, initial_interval_ms: 0 },
      });
      at.clock.ms += 1000;
      await at.runDue();
      expect((await at.poll()).step_tasks).toMatchObject([{ attempt: 2 }]);
      at.clock.ms += 1000;
      await at.runDue();
      const history = await at.engine.history(WORKSPACE, at.runId, 0, 100);
      expect(history.find(({ type }) => type === 'ACTIVITY_TASK_TIMED_OUT')?.attributes).toMatchObject({
        timeout_type: 'START_TO_CLOSE',
        attempt: 2,
      });
    });

    it('that sends no heartbeat in time is held to be lost', async () => {
      const at = await byHand({ heartbeat_ms: 500, retry: { ...stepOptions().retry, max_attempts: 1 } });
      at.clock.ms += 500;
      await at.runDue();
      const history = await at.engine.history(WORKSPACE, at.runId, 0, 100);
      expect(history.at(-1)?.type).toBe('WORKFLOW_TASK_SCHEDULED');
      expect(history.find(({ type }) => type === 'ACTIVITY_TASK_TIMED_OUT')?.attributes.timeout_type).toBe('HEARTBEAT');
    });

    it('that has taken too long in all is not tried again', async () => {
      const at = await byHand({ total_timeout_ms: 800 });
      at.clock.ms += 800;
      await at.runDue();
      const history = await at.engine.history(WORKSPACE, at.runId, 0, 100);
      expect(history.find(({ type }) => type === 'ACTIVITY_TASK_TIMED_OUT')?.attributes.timeout_type).toBe(
        'SCHEDULE_TO_CLOSE',
      );
    });

    it('is told to stop when its run has ended', async () => {
      const at = await byHand({});
      await at.poll();
      await at.engine.terminate({ workspaceId: WORKSPACE, executionId: at.executionId });
      expect((await at.poll()).cancelled_steps).toEqual([at.step?.token]);
    });

    it('publishes its events before its end, each key once', async () => {
      const at = await byHand({});
      const token = at.step?.token ?? '';
      const beat = { steps: [{ token, events: [{ key: '1', event: LAST }] }] };
      await at.workers.heartbeatSteps(WORKSPACE, beat);
      await at.workers.heartbeatSteps(WORKSPACE, beat);
      await at.workers.advance(WORKSPACE, {
        deployment_name: 'main',
        worker_name: 'by-hand',
        advances: [],
        steps: [{ token, result: 1 }],
      });
      expect((await at.publicTypes(at.executionId)).slice(1)).toEqual([
        'ACTIVITY_TASK_STARTED',
        'CUSTOM_TASK_IN_PROGRESS',
        'ACTIVITY_TASK_COMPLETED',
      ]);
    });
  });

  it('begins no more steps in a window than their rate limit allows, over all runs of a deployment', async () => {
    const at = await scene(database, code);
    const started = at.clock.ms;
    const { executionId } = await at.run('limited');
    for (let i = 0; i < 2; i++) await at.pass(1000);
    const { result } = await at.look(executionId);
    expect(Number(result) - started).toBe(2000);
  });

  it('has more to do than one poll can take, and all of it is taken', async () => {
    const at = await scene(database, code);
    for (let i = 0; i < 25; i++) await at.engine.start(startOf('byHundreds'));
    const ask = { ...ASK, workflows: ['byHundreds'], worker_name: 'small', max_workflow_tasks: 10 };
    const taken = [];
    for (let i = 0; i < 3; i++)
      taken.push((await at.workers.poll(WORKSPACE, ask, AbortSignal.timeout(20_000))).workflow_tasks.length);
    expect(taken).toEqual([10, 10, 5]);
  });

  describe('a turn under way', () => {
    it('is not disturbed by a signal, which comes with the next one', async () => {
      const at = await scene(database, code);
      const { executionId, runId } = await at.engine.start(startOf('byHand'));
      const [task] = (await at.workers.poll(WORKSPACE, ASK, AbortSignal.timeout(20_000))).workflow_tasks;
      await at.engine.signal({ workspaceId: WORKSPACE, executionId }, 'hello', 1);
      const advance = {
        token: task?.token ?? '',
        run_id: runId,
        base: 2,
        time_ms: 0,
        step_results: [],
        commands: [],
        want_steps: 0,
        release: false,
      };
      const send = async (change: Partial<Advance>) =>
        (
          await at.workers.advance(WORKSPACE, {
            deployment_name: 'main',
            worker_name: 'by-hand',
            advances: [{ ...advance, ...change }],
            steps: [],
          })
        ).advances[0];
      const first = await send({ commands: [{ type: 'start_timer', seq: 1, fire_in_ms: 1000 }] });
      expect(first).toMatchObject({ status: 'ok', last_event_id: 5, next: { history_after: 5 } });
      expect(first?.next?.history.map(({ type }) => type)).toEqual([
        'WORKFLOW_EXECUTION_SIGNALED',
        'WORKFLOW_TASK_SCHEDULED',
      ]);
      await at.engine.signal({ workspaceId: WORKSPACE, executionId }, 'wait', 2);
      const ending = await send({ base: 7, commands: [{ type: 'complete', result: null }] });
      expect(ending).toMatchObject({ status: 'stale', next: { history_after: 0 } });
      expect(ending?.next?.history.at(-1)?.type).toBe('WORKFLOW_EXECUTION_SIGNALED');
      const last = ending?.next?.history_end ?? 0;
      expect(await send({ base: last, commands: [{ type: 'complete', result: null }] })).toMatchObject({
        status: 'ok',
      });
      expect((await at.look(executionId)).status).toBe('COMPLETED');
    });

    it('that is answered twice counts once', async () => {
      const at = await byHand({});
      const again = await at.advance({ token: at.token, commands: [{ type: 'start_timer', seq: 2, fire_in_ms: 1 }] });
      expect(again).toEqual({ status: 'stale' });
      expect((await at.types(at.runId)).filter((type) => type === 'TIMER_STARTED')).toEqual([]);
    });

    it('that fails is tried again later, and the execution says so', async () => {
      const at = await byHand({}, 0);
      await at.engine.signal({ workspaceId: WORKSPACE, executionId: at.executionId }, 'x', null);
      const [task] = (await at.poll()).workflow_tasks;
      await at.advance({ token: task?.token ?? '', base: 7, task_failure: { message: 'out of memory' } });
      expect((await at.look(at.executionId)).status).toBe('RETRYING_AFTER_ERROR');
      const mine = async () => (await at.poll()).workflow_tasks.filter(({ run_id }) => run_id === at.runId);
      expect(await mine()).toEqual([]);
      at.clock.ms += 1000;
      await at.runDue();
      expect(await mine()).toMatchObject([{ attempt: 2 }]);
    });

    it('that finds another history than its code writes fails the execution', async () => {
      const at = await byHand({}, 0);
      await at.engine.signal({ workspaceId: WORKSPACE, executionId: at.executionId }, 'x', null);
      const [task] = (await at.poll()).workflow_tasks;
      const task_failure = { message: "The code asks for 'b' where the history has 'a'.", nondeterministic: true };
      await at.advance({ token: task?.token ?? '', base: 7, task_failure });
      const { status, failure } = await at.look(at.executionId);
      expect({ status, message: failure?.message }).toEqual({ status: 'FAILED', message: task_failure.message });
    });
  });

  it('fires what is due after the clock was set forward, and nothing early after it was set back', async () => {
    const at = await scene(database, code);
    const { executionId, runId } = await at.run('sleeper');
    await at.pass(-3_600_000);
    expect((await at.look(executionId)).status).toBe('RUNNING');
    await at.pass(2 * 3_600_000);
    expect(['COMPLETED', 'TIMED_OUT']).toContain((await at.look(executionId)).status);
    const stamps = await at.events.list(database.db, `workflow:${WORKSPACE}:${executionId}`, { after: 0, limit: 100 });
    const times = stamps.map(({ data }) => (data as { event_timestamp: number }).event_timestamp);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    await at.types(runId);
  });

  it('leaves a run alone that sleeps for longer than its lease, and wakes it on time', async () => {
    const at = await scene(database, code);
    const { executionId, runId } = await at.run('resting', null, { executionTimeoutMs: 10 * LEASE_MS });
    const row = () =>
      database.db
        .selectFrom('workflow_runs')
        .select(['version', 'due_ms', 'deadline_ms'])
        .where('run_id', '=', runId)
        .executeTakeFirstOrThrow();
    const asleep = await row();
    expect(asleep.due_ms).toBe(asleep.deadline_ms);
    await at.pass(2 * LEASE_MS);
    expect(await row()).toEqual(asleep);
    await at.pass(LEASE_MS);
    expect((await at.look(executionId)).status).toBe('COMPLETED');
  });

  it('is done by several processes on one database, each step once', async () => {
    const now = () => Date.now();
    const engines = await Promise.all([1, 2].map(async () => engineForTests(await test.open(), now)));
    const workers = engines.map(({ workers: port }, i) =>
      createTestWorker({ port, workspaceId: WORKSPACE, code, now, name: `w${i}` }),
    );
    for (const { start } of engines) await start();
    for (const worker of workers) worker.run();
    const started = await Promise.all(
      Array.from({ length: 20 }, (_, i) => engines[i % 2]?.engine.start(startOf('echoes', 3))),
    );
    const ends = started.map((execution, i) =>
      engines[(i + 1) % 2]?.engine.waitForEnd(WORKSPACE, execution?.executionId ?? '', AbortSignal.timeout(15_000)),
    );
    expect((await Promise.all(ends)).map((end) => end?.result)).toEqual(started.map(() => 'done'));
    for (const worker of workers) await worker.stop();
    for (const { stop } of engines) await stop();
  });
});

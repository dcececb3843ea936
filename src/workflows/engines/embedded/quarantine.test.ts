import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type {
  Command,
  PollRequest,
  PollResponse,
  StepOptions,
  WorkflowTask,
} from '../../../../packages/workflows/src/protocol.ts';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import type { Database } from '../../../kit/db/index.ts';
import { registration, startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { engineForTests, scene } from './engine-for-tests.ts';
import { CLEARED_MS, LEASE_MS, SUSPECT_AGAIN_MS } from './limits.ts';
import type { SetAside } from './work-unit.ts';
import { type Code, createTestWorker, stepOptions } from './worker-for-tests.ts';

/** Rounds in which nothing happened: longer than a lease. */
const IDLE_MAX = 16;

/** The worker whose code runs. */
let current = { isDead: false };

const code: Code = {
  steps: {
    echo: ([value]) => value ?? null,
    deadly: () => {
      current.isDead = true;
      return new Promise(() => undefined);
    },
  },
  workflows: {
    deadly: () => {
      current.isDead = true;
      return new Promise(() => undefined);
    },
    fine: async (ctx) => [await ctx.step('echo', [1]), await ctx.step('echo', [2])],
    waits: async (ctx) => {
      const first = ctx.signal('first');
      await ctx.sleep(1000);
      return first;
    },
    steps: async (ctx, options) => ctx.step('deadly', [], options as Partial<StepOptions>),
    parent: async (ctx) => {
      await ctx.child('deadly', null, { wait: false, parent_close_policy: 'request_cancel' });
      return ctx.signal('go');
    },
  },
};

const unlimited = { retry: { ...stepOptions().retry, max_attempts: 0 } };

onEachDatabase('an execution that its workers do not survive', (test) => {
  let database: Database;
  let deployments = 0;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  /** An engine, and workers of a deployment of its own, each of which works until it dies. */
  async function open() {
    const deploymentName = `deployment-${++deployments}`;
    const told: SetAside[] = [];
    const onSetAside = async (_tx: unknown, run: SetAside) => void told.push(run);
    const findRegistration = async () => ({ ...registration, workflowId: 'any', deploymentName });
    const at = await scene(database, code, { deployment: deploymentName }, { onSetAside, findRegistration });
    let workers = 0;
    let deaths = 0;

    /** Its whole mail, without an answer. */
    const poll = (more: Partial<PollRequest> = {}): Promise<PollResponse> => {
      const request = {
        deployment_name: deploymentName,
        worker_name: `worker-${++workers}`,
        ...{ max_workflow_tasks: 10, max_step_tasks: 10, wait_ms: 1 },
        ...{ workflows: Object.keys(code.workflows), steps: Object.keys(code.steps) },
        ...more,
      };
      return at.workers.poll(WORKSPACE, request, AbortSignal.timeout(20_000));
    };

    async function answer(
      worker_name: string,
      task: WorkflowTask | undefined,
      commands: Command[] = [],
      want_steps = 0,
    ) {
      if (!task) throw new Error(`The worker ${worker_name} got no turn.`);
      const { token, run_id, history_end: base } = task;
      const advance = {
        token,
        run_id,
        base,
        time_ms: at.now(),
        commands,
        step_results: [],
        want_steps,
        release: false,
      };
      const request = { deployment_name: deploymentName, worker_name, advances: [advance], steps: [] };
      return (await at.workers.advance(WORKSPACE, request)).advances;
    }

    /** Its connection breaks. */
    async function disconnect(worker_name: string): Promise<void> {
      const leaving = new AbortController();
      const nothing = { max_workflow_tasks: 0, max_step_tasks: 0, workflows: [], steps: [], wait_ms: 60_000 };
      const request = { deployment_name: deploymentName, worker_name, ...nothing };
      const broken = at.workers.poll(WORKSPACE, request, leaving.signal);
      leaving.abort();
      await broken;
    }

    async function pass(ms: number): Promise<void> {
      at.clock.ms += ms;
      while ((await at.runDue()) > 0);
    }

    /** Workers work one after the other, until there is nothing more to do. */
    async function work(): Promise<void> {
      for (let idle = 0; idle < IDLE_MAX; ) {
        const life = { isDead: false };
        current = life;
        const before = () => {
          if (life.isDead) throw new Error('The worker is dead.');
        };
        const name = `mortal-${++workers}`;
        const port = at.workers;
        const options = { port, code, before, name, now: at.now, workspaceId: WORKSPACE, deployment: deploymentName };
        const worker = createTestWorker(options);
        // What a dead worker has begun never ends.
        const death = (async () => {
          while (!life.isDead) await nextTurn();
          return 0;
        })();
        while (!life.isDead && idle < IDLE_MAX) {
          const done = await Promise.race([worker.work().catch(() => 0), death]);
          idle = life.isDead || done > 0 ? 0 : idle + 1;
          await pass(life.isDead ? LEASE_MS : SUSPECT_AGAIN_MS);
        }
        if (life.isDead) deaths++;
        life.isDead = true;
      }
    }

    /** Three workers get the run and fall silent. */
    async function lose(): Promise<void> {
      for (let i = 0; i < 3; i++) {
        await poll();
        await pass(LEASE_MS);
      }
    }

    const started = new Set<string>();
    const start = async (name: string, input: unknown = null) => {
      const execution = await at.engine.start(startOf(name, input as null, { deploymentName }));
      started.add(execution.executionId);
      return execution;
    };
    const target = (executionId: string) => ({ workspaceId: WORKSPACE, executionId });
    const listed = async () => (await at.quarantine.list(WORKSPACE)).filter((one) => started.has(one.executionId));
    return {
      ...{ ...at, name: deploymentName, told, poll, answer, disconnect, pass, work, lose, start, target, listed },
      deaths: () => deaths,
      retry: (executionId: string) => at.quarantine.retry(target(executionId), async () => undefined),
    };
  }

  it('is set aside after three of them, says why, and is offered to no other', async () => {
    const at = await open();
    const { executionId } = await at.start('deadly');
    await at.work();
    expect(at.deaths()).toBe(3);
    expect(await at.listed()).toEqual([
      {
        ...{ executionId, runId: expect.any(String), workflowName: 'deadly', workspaceId: WORKSPACE, deaths: 3 },
        organizationId: 'organization-1',
        ...{ reason: '3 workers did not survive it.', since: expect.stringMatching(/^20/) },
      },
    ]);
    expect(at.told).toMatchObject([{ execution_id: executionId, organization_id: 'organization-1', deaths: 3 }]);
    expect(await at.quarantine.count()).toBeGreaterThanOrEqual(1);
    expect((await at.look(executionId)).status).toBe('RUNNING');
    await at.engine.signal(at.target(executionId), 'any', null);
    await at.pass(CLEARED_MS);
    expect((await at.poll()).workflow_tasks).toEqual([]);
  });

  it.each([1, 3])(
    'takes nothing with it that was in hand at the same time: %i of them, and ten others',
    async (count) => {
      const at = await open();
      const deadly = await Promise.all(Array.from({ length: count }, () => at.start('deadly')));
      const others = await Promise.all(Array.from({ length: 10 }, () => at.start('fine')));
      await at.work();
      expect(at.deaths()).toBe(2 + count);
      expect(new Set((await at.listed()).map((one) => one.executionId))).toEqual(
        new Set(deadly.map(({ executionId }) => executionId)),
      );
      for (const { executionId } of others)
        expect(await at.look(executionId)).toMatchObject({ status: 'COMPLETED', result: [1, 2] });
    },
  );

  describe('after two deaths has its step tried alone', () => {
    /** Two workers died of one of them; the third took the turn of the deadly one, with its step to come. */
    async function schedule(want_steps: number) {
      const at = await open();
      const { executionId } = await at.start('steps', unlimited);
      const innocent = await at.start('waits');
      for (let death = 0; death < 2; death++) {
        expect((await at.poll()).workflow_tasks).toHaveLength(2);
        await at.pass(LEASE_MS);
      }
      const steps = want_steps > 0 ? ['deadly'] : [];
      const { workflow_tasks } = await at.poll({ worker_name: 'third', workflows: ['steps'], steps });
      const options = stepOptions(unlimited);
      const command: Command = { type: 'schedule_step', seq: 1, name: 'deadly', input: [], options };
      await at.answer('third', workflow_tasks[0], [command], want_steps);
      await at.pass(SUSPECT_AGAIN_MS);
      const end = async () => {
        for (const one of [executionId, innocent.executionId]) await at.engine.terminate(at.target(one));
      };
      return { at, end };
    }

    it('so no other run is begun beside it', async () => {
      const { at, end } = await schedule(1);
      expect((await at.poll()).workflow_tasks).toEqual([]);
      await end();
    });

    it('so it is not begun beside another run', async () => {
      const { at, end } = await schedule(0);
      expect((await at.poll({ workflows: ['waits'], steps: [] })).workflow_tasks).toHaveLength(1);
      expect((await at.poll()).step_tasks).toEqual([]);
      await end();
    });
  });

  it('is tried again by hand, with what happened meanwhile', async () => {
    const at = await open();
    const { executionId } = await at.start('waits');
    await at.poll();
    await at.lose();
    expect(await at.listed()).toMatchObject([{ executionId }]);
    await at.engine.signal(at.target(executionId), 'first', 'a signal');
    await at.retry(executionId);
    expect(await at.listed()).toEqual([]);
    await expect(at.retry(executionId)).rejects.toMatchObject({ code: 'execution_not_quarantined' });
    await at.settle();
    await at.pass(1000);
    await at.settle();
    expect(await at.look(executionId)).toMatchObject({ status: 'COMPLETED', result: 'a signal' });
  });

  it('ends at once when it is cancelled or terminated', async () => {
    const at = await open();
    const [cancelled, terminated] = [await at.start('deadly'), await at.start('deadly')];
    await at.work();
    await at.engine.cancel(at.target(cancelled.executionId), 'enough');
    await at.engine.terminate(at.target(terminated.executionId), 'enough');
    expect((await at.look(cancelled.executionId)).status).toBe('CANCELED');
    expect((await at.look(terminated.executionId)).status).toBe('TERMINATED');
    expect(await at.listed()).toEqual([]);
    await at.types(cancelled.runId);
    await at.types(terminated.runId);
  });

  it('ends with the parent that asks it to', async () => {
    const at = await open();
    const { executionId, runId } = await at.start('parent');
    await at.work();
    expect((await at.look(`${runId}:1`)).status).toBe('RUNNING');
    await at.engine.signal(at.target(executionId), 'go', null);
    await at.work();
    expect((await at.look(executionId)).status).toBe('COMPLETED');
    expect((await at.look(`${runId}:1`)).status).toBe('CANCELED');
  });

  it('refuses what only a worker can answer', async () => {
    const at = await open();
    const { executionId } = await at.start('deadly');
    await at.work();
    const refused = { code: 'execution_quarantined', status: 409 };
    const { signal } = new AbortController();
    await expect(at.engine.query(at.target(executionId), 'any', null, signal)).rejects.toMatchObject(refused);
    await expect(at.engine.update(at.target(executionId), 'any', null, signal)).rejects.toMatchObject(refused);
  });

  it('is asked by a query no more often than three workers can die of it', async () => {
    const at = await open();
    const { executionId } = await at.start('waits');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const leaving = new AbortController();
    let asked = 0;
    const polls = Array.from({ length: 5 }, (_, i) => {
      const nothing = { max_workflow_tasks: 0, max_step_tasks: 0, workflows: ['waits'], steps: [], wait_ms: 60_000 };
      return at.workers
        .poll(WORKSPACE, { deployment_name: at.name, worker_name: `asked-${i}`, ...nothing }, leaving.signal)
        .then(({ queries }) => {
          asked += queries.length;
        });
    });
    const answer = at.engine.query(at.target(executionId), 'any', null, leaving.signal).catch(() => undefined);
    for (let i = 0; i < 10; i++) {
      await at.idle();
      await nextTurn();
      vi.advanceTimersByTime(1000);
    }
    leaving.abort();
    await Promise.all([answer, ...polls]);
    expect(asked).toBe(3);
  });

  it('starts anew when it is reset', async () => {
    const at = await open();
    const { executionId } = await at.start('waits');
    await at.settle();
    await at.engine.signal(at.target(executionId), 'first', 'a signal');
    await at.lose();
    expect(await at.listed()).toMatchObject([{ executionId }]);
    await at.engine.reset(at.target(executionId), { eventId: 4, excludeSignals: false, excludeUpdates: false });
    await at.settle();
    await at.pass(1000);
    await at.settle();
    expect(await at.look(executionId)).toMatchObject({ status: 'COMPLETED', result: 'a signal' });
    expect(await at.listed()).toEqual([]);
  });

  describe('because of a step', () => {
    it('that may be tried for ever is set aside after three', async () => {
      const at = await open();
      const { executionId } = await at.start('steps', unlimited);
      await at.work();
      expect(at.deaths()).toBe(3);
      expect(await at.listed()).toMatchObject([
        { executionId, reason: "3 workers did not survive its step 'deadly'." },
      ]);
      await at.engine.terminate(at.target(executionId));
    });

    it('gets its failure when no attempt is left, and goes on', async () => {
      const at = await open();
      const { executionId } = await at.start('steps', { retry: { ...unlimited.retry, max_attempts: 1 } });
      await at.work();
      expect(at.deaths()).toBe(2);
      expect(await at.look(executionId)).toMatchObject({
        status: 'FAILED',
        failure: { type: 'WorkerLost', message: "2 workers were lost while they ran the step 'deadly'." },
      });
    });

    it('that has a timeout shorter than a lease is set aside after three', async () => {
      const at = await open();
      const { executionId } = await at.start('steps');
      const [task] = (await at.poll({ worker_name: 'first', steps: [] })).workflow_tasks;
      const options = stepOptions({ ...unlimited, timeout_ms: 500 });
      await at.answer('first', task, [{ type: 'schedule_step', seq: 1, name: 'deadly', input: [], options }]);
      let begun = 0;
      for (const worker_name of ['a', 'b', 'c', 'd', 'e']) {
        begun += (await at.poll({ worker_name })).step_tasks.length;
        await at.disconnect(worker_name);
        await at.pass(1000);
        await at.pass(1000);
      }
      expect(begun).toBe(3);
      expect(await at.listed()).toMatchObject([{ executionId, deaths: 3 }]);
    });

    it('counts the turn that a worker went ahead of, and was lost with it', async () => {
      const at = await open();
      const { executionId } = await at.start('steps', unlimited);
      await at.poll();
      await at.pass(LEASE_MS);
      await at.work();
      expect(at.deaths()).toBe(2);
      expect(await at.listed()).toMatchObject([{ executionId, deaths: 3 }]);
    });
  });

  describe('is not blamed', () => {
    it('when the holder of an earlier lease answers late', async () => {
      const at = await open();
      await at.start('deadly');
      for (let i = 0; i < 5; i++) {
        const [task] = (await at.poll({ worker_name: 'slow' })).workflow_tasks;
        await at.pass(LEASE_MS);
        expect(await at.answer('slow', task)).toMatchObject([{ status: 'stale' }]);
      }
      expect(await at.listed()).toEqual([]);
      await at.work();
      expect(at.deaths()).toBe(3);
    });

    it('for what happened a minute before its last turn', async () => {
      const at = await open();
      const { executionId } = await at.start('waits');
      for (let i = 0; i < 5; i++) {
        await at.poll();
        await at.pass(LEASE_MS);
        await at.pass(CLEARED_MS);
        await at.settle();
        await at.engine.signal(at.target(executionId), 'other', i);
      }
      expect(await at.listed()).toEqual([]);
      await at.engine.terminate(at.target(executionId));
    });

    it('for leases that ran out while no server was there', async () => {
      const at = await open();
      const { executionId, runId } = await at.start('steps', unlimited);
      const [task] = (await at.poll({ worker_name: 'alive' })).workflow_tasks;
      const rows = () =>
        database.db
          .selectFrom('workflow_runs')
          .select(['deaths', 'lease_until_ms'])
          .where('run_id', '=', runId)
          .executeTakeFirstOrThrow();
      for (let i = 0; i < 4; i++) {
        at.clock.ms += 10 * LEASE_MS;
        const next = engineForTests(database, at.now);
        await next.runDue();
        expect(await rows()).toEqual({ deaths: 0, lease_until_ms: at.now() + LEASE_MS });
      }
      const answer = await at.answer('alive', task, [{ type: 'complete', result: null }]);
      expect(answer).toMatchObject([{ status: 'ok' }]);
      expect((await at.look(executionId)).status).toBe('COMPLETED');
    });
  });
});

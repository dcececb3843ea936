import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PollRequest } from '../../../../packages/workflows/src/protocol.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../../test/support/databases.ts';
import type { Database } from '../../../kit/db/index.ts';
import { startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { engineForTests, scene } from './engine-for-tests.ts';
import { HISTORY_BYTES_MAX, LEASE_MS, MAILBOX_MS } from './limits.ts';
import { type Code, createTestWorker } from './worker-for-tests.ts';
import type { WorkerPort } from './worker-port.ts';

const code: Code = {
  steps: { echo: ([value]) => value ?? null },
  workflows: {
    echoes: async (ctx, count) => {
      for (let i = 0; i < Number(count); i++) await ctx.step('echo', [i]);
      return 'done';
    },
    forever: async (ctx) => ctx.signal('never'),
  },
};

const ASK: PollRequest = {
  deployment_name: 'main',
  worker_name: 'by-hand',
  max_workflow_tasks: 10,
  max_step_tasks: 10,
  workflows: ['byHand'],
  steps: [],
  wait_ms: 60_000,
};
const NOTHING = { workflow_tasks: [], step_tasks: [], queries: [], cancelled_steps: [] };

onEachDatabase('workers and their polls', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  it('a second poll of the same name takes the place of the first, which gets nothing and holds nobody up', async () => {
    const at = await scene(database, code);
    const leaving = new AbortController();
    const first = at.workers.poll(WORKSPACE, ASK, leaving.signal);
    const second = at.workers.poll(WORKSPACE, ASK, AbortSignal.timeout(20_000));
    const { runId } = await at.engine.start(startOf('byHand'));
    expect((await second).workflow_tasks).toMatchObject([{ run_id: runId }]);
    leaving.abort();
    expect(await first).toEqual(NOTHING);
  });

  it('what was put aside for a worker whose connection broke goes to another at once: the turn and the query', async () => {
    const at = await scene(database, code);
    const leaving = new AbortController();
    const broken = at.workers.poll(WORKSPACE, ASK, leaving.signal);
    leaving.abort();
    expect(await broken).toEqual(NOTHING);
    const other = at.workers.poll(WORKSPACE, { ...ASK, worker_name: 'other' }, AbortSignal.timeout(20_000));
    const { executionId, runId } = await at.engine.start(startOf('byHand'));
    // Not a millisecond has passed.
    expect((await other).workflow_tasks).toMatchObject([{ run_id: runId }]);
    const answer = at.engine.query({ workspaceId: WORKSPACE, executionId }, 'q', null, AbortSignal.timeout(20_000));
    const asked = await at.workers.poll(WORKSPACE, { ...ASK, worker_name: 'other' }, AbortSignal.timeout(20_000));
    const [query] = asked.queries;
    await at.workers.answerQueries(WORKSPACE, { answers: [{ query_id: query?.query_id ?? '', result: 42 }] });
    expect(await answer).toBe(42);
  });

  it.runIf(isSqliteOrFull(test))(
    'a query that its worker does not answer is put to another after a second',
    async () => {
      const at = await scene(database, code);
      const { executionId } = await at.engine.start(startOf('byHand'));
      const poll = (worker_name: string) =>
        at.workers.poll(WORKSPACE, { ...ASK, worker_name, max_workflow_tasks: 0 }, AbortSignal.timeout(20_000));
      const silent = poll('silent');
      const answer = at.engine.query({ workspaceId: WORKSPACE, executionId }, 'q', null, AbortSignal.timeout(20_000));
      expect((await silent).queries).toHaveLength(1);
      const [query] = (await poll('talkative')).queries;
      await at.workers.answerQueries(WORKSPACE, { answers: [{ query_id: query?.query_id ?? '', result: 'here' }] });
      expect(await answer).toBe('here');
    },
  );

  it('a run whose worker fell silent is with another within five seconds', async () => {
    const at = await scene(database, code);
    const poll = async (worker_name: string) => {
      const request = { ...ASK, worker_name, workflows: ['lonely'], wait_ms: 1 };
      return (await at.workers.poll(WORKSPACE, request, AbortSignal.timeout(20_000))).workflow_tasks;
    };
    const { runId } = await at.engine.start(startOf('lonely'));
    expect(await poll('doomed')).toMatchObject([{ run_id: runId }]);
    expect(await poll('survivor')).toEqual([]);
    // Alarms are looked at twice a second.
    at.clock.ms += LEASE_MS + 500;
    expect(LEASE_MS + 500).toBeLessThan(5000);
    await at.runDue();
    expect(await poll('survivor')).toMatchObject([{ run_id: runId }]);
  });

  it('a run whose history has grown too long ends with a sentence that says what to do', async () => {
    const at = await scene(database, code);
    const { executionId, runId } = await at.run('forever');
    await database.db
      .updateTable('workflow_runs')
      .set({ history_bytes: HISTORY_BYTES_MAX + 1 })
      .where('run_id', '=', runId)
      .execute();
    await at.engine.signal({ workspaceId: WORKSPACE, executionId }, 'other', null);
    expect(await at.look(executionId)).toMatchObject({
      status: 'FAILED',
      failure: { type: 'HistoryTooLong', message: expect.stringContaining('continue as new') },
    });
    expect((await at.types(runId)).at(-1)).toBe('WORKFLOW_EXECUTION_FAILED');
  });

  it.runIf(test.kind === 'postgres')(
    'a worker whose every request reaches another server than the last loses no turn, though each has old copies',
    async () => {
      const at = await scene(database, code);
      const elsewhere = await test.open();
      const there = engineForTests(elsewhere, at.now);
      let turn = 0;
      const next = (): WorkerPort => (turn++ % 2 === 0 ? at.workers : there.workers);
      const port: WorkerPort = {
        ...at.workers,
        poll: (...given) => next().poll(...given),
        advance: (...given) => next().advance(...given),
        historyPage: (...given) => next().historyPage(...given),
      };
      const worker = createTestWorker({ port, workspaceId: WORKSPACE, code, now: at.now, name: 'roaming' });
      const began = at.clock.ms;
      for (let n = 0; n < 2; n++) {
        const engine = n % 2 === 0 ? at.engine : there.engine;
        const { executionId } = await engine.start(startOf('echoes', 3));
        while ((await at.look(executionId)).status === 'RUNNING') {
          await Promise.all([at.idle(), there.idle()]);
          await worker.work();
          // A worker that did not come back here for its mail is learnt once; the look that finds it has to come.
          at.clock.ms += 100;
          await at.runDue();
          await there.runDue();
          await Promise.all([at.workers.returnUncollected(), there.workers.returnUncollected()]);
        }
      }
      // Each server learns once, in the time that a mailbox is kept; one turn that was left lying costs a lease more.
      expect(at.clock.ms - began).toBeLessThan(2 * MAILBOX_MS + LEASE_MS);
    },
  );
});

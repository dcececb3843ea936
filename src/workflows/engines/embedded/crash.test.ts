import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import { rounds } from '../../../../test/support/rounds.ts';
import type { Database } from '../../../kit/db/index.ts';
import { startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { checkHistory, engineForTests } from './engine-for-tests.ts';
import { LEASE_MS } from './limits.ts';
import { type Code, createTestWorker } from './worker-for-tests.ts';

const STEPS = 20;
const QUIET_ROUNDS_MAX = 10;

class Dead extends Error {}

type Fault = { who: 'server' | 'worker'; at: number; when: 'before' | 'after' };

const code: Code = {
  steps: { add: ([n]) => Number(n) + 1 },
  workflows: {
    twenty: async (ctx) => {
      let n = 0;
      for (let i = 0; i < STEPS; i++) n = Number(await ctx.step('add', [n]));
      return n;
    },
  },
};

/** Counts what is written, and dies where it is told to: nothing works on it any more. */
function mortal(database: Database, dieAt: number, when: Fault['when']) {
  let count = 0;
  let isDead = false;
  const check = () => {
    if (isDead) throw new Dead('The process is dead.');
  };
  const transaction: Database['transaction'] = async (work) => {
    check();
    const isLast = ++count === dieAt;
    const result = await database.transaction(async (tx) => {
      const done = await work(tx);
      if (isLast && when === 'before') {
        isDead = true;
        check();
      }
      return done;
    });
    if (isLast) isDead = true;
    check();
    return result;
  };
  const commit: Database['commit'] = async (work) => ({ result: await transaction(work), durable: Promise.resolve() });
  return { database: { ...database, transaction, commit }, isDead: () => isDead };
}

/** One execution with one death; true when the death came before the end. */
async function dieOnce(database: Database, fault: Fault): Promise<boolean> {
  const clock = { ms: 1_800_000_000_000 };
  const now = () => clock.ms;
  const never = Number.POSITIVE_INFINITY;
  const server = mortal(database, fault.who === 'server' ? fault.at : never, fault.when);
  let embedded = engineForTests(server.database, now);
  let sent = 0;
  let workers = 0;
  let hasDied = false;

  const dying = (call: () => Promise<unknown>) => async () => {
    const isLast = fault.who === 'worker' && ++sent === fault.at;
    if (isLast && fault.when === 'before') throw new Dead('The worker is dead.');
    const answer = await call();
    if (isLast) throw new Dead('The worker is dead.');
    return answer;
  };
  const port = {
    poll: (...args: Parameters<typeof embedded.workers.poll>) => dying(() => embedded.workers.poll(...args))() as never,
    advance: (...args: Parameters<typeof embedded.workers.advance>) =>
      dying(() => embedded.workers.advance(...args))() as never,
    historyPage: (...args: Parameters<typeof embedded.workers.historyPage>) => embedded.workers.historyPage(...args),
    answerQueries: (...args: Parameters<typeof embedded.workers.answerQueries>) =>
      embedded.workers.answerQueries(...args),
  };
  const newWorker = () => createTestWorker({ port, workspaceId: WORKSPACE, code, now, name: `worker-${++workers}` });
  let worker = newWorker();

  async function survive<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Dead)) throw error;
      hasDied = true;
      if (fault.who === 'server') embedded = engineForTests(database, now);
      else worker = newWorker();
      return undefined;
    }
  }

  const executionId = `${fault.who}-${fault.when}-${fault.at}`;
  const start = () => embedded.engine.start(startOf('twenty', null, { executionId }));
  // A client that got no answer asks again; its id keeps it from starting twice.
  if (!(await survive(start))) await start().catch((error) => expect(error).toMatchObject({ wireCode: 'WF_1101' }));
  for (let quiet = 0; quiet < QUIET_ROUNDS_MAX; quiet++) {
    while (((await survive(() => worker.work())) ?? 1) + ((await survive(() => embedded.runDue())) ?? 1) > 0);
    const execution = await embedded.engine.get(WORKSPACE, executionId);
    if (execution?.status !== 'RUNNING') break;
    clock.ms += LEASE_MS;
  }
  const execution = await embedded.engine.get(WORKSPACE, executionId);
  expect(execution).toMatchObject({ status: 'COMPLETED', result: STEPS });
  const history = await embedded.engine.history(WORKSPACE, execution?.runId ?? '', 0, 1000);
  checkHistory(history);
  const results = history.filter(({ type }) => type === 'ACTIVITY_TASK_COMPLETED');
  expect(results.map(({ attributes }) => attributes.result)).toEqual(Array.from({ length: STEPS }, (_, i) => i + 1));
  const stream = await embedded.events.list(database.db, `workflow:${WORKSPACE}:${executionId}`, {
    after: 0,
    limit: 1000,
  });
  expect(stream.map(({ seq }) => seq)).toEqual(stream.map((_, i) => i + 1));
  expect(stream.filter(({ type }) => type === 'ACTIVITY_TASK_COMPLETED')).toHaveLength(STEPS);
  return hasDied;
}

onEachDatabase('a workflow of twenty steps', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  const stride = test.kind === 'sqlite' ? rounds(9, 1) : rounds(25, 1);

  for (const who of ['server', 'worker'] as const)
    for (const when of ['before', 'after'] as const)
      it(`ends with each result once when the ${who} dies ${when} any of its appends`, {
        timeout: 60_000,
      }, async () => {
        let deaths = 0;
        for (let at = 1; await dieOnce(database, { who, at, when }); at += stride) deaths++;
        expect(deaths).toBeGreaterThanOrEqual(Math.floor(STEPS / stride));
      });
});

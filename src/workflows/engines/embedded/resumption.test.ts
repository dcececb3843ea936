import { afterEach, beforeEach, expect, it } from 'vitest';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import type { Database, Tx } from '../../../kit/db/index.ts';
import { findSearchKeys } from '../../store/runs.ts';
import { startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { engineForTests, scene } from './engine-for-tests.ts';
import { RESUME_AGAIN_MS } from './limits.ts';
import { listResumes } from './store/resumes.ts';
import type { SetAside } from './work-unit.ts';
import type { Code } from './worker-for-tests.ts';

const code: Code = {
  steps: {},
  workflows: {
    sleeps: async (ctx) => {
      await ctx.sleep(1000);
      return 'awake';
    },
  },
};

/** A database whose server meets its fate as soon as it reads the run. */
function fatal(database: Database, runId: string, fate: 'dies' | 'fails') {
  const { promise: death, resolve: die } = Promise.withResolvers<'dead'>();
  const readingOf = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, name, self) {
        const value = Reflect.get(target, name, self);
        if (name !== 'executeQuery') return value;
        return (query: { sql: string; parameters: readonly unknown[] }) => {
          if (query.sql.startsWith('select') && query.parameters.includes(runId)) throw new Error(`It ${fate}.`);
          return Reflect.apply(value, target, [query]);
        };
      },
    });
  const commit: Database['commit'] = async (work, waitMs) => {
    try {
      return await database.commit((tx) => work(readingOf(tx)), waitMs);
    } catch (error) {
      if (fate === 'fails') throw error;
      die('dead');
      return new Promise(() => undefined);
    }
  };
  return { database: { ...database, commit }, death };
}

onEachDatabase('what is due when a server starts', (test) => {
  let database: Database;
  beforeEach(async () => {
    database = await test.open();
  });
  afterEach(() => database.close());

  /** Executions whose timers are due. */
  async function asleep(count: number) {
    const at = await scene(database, code);
    const started = await Promise.all(Array.from({ length: count }, () => at.engine.start(startOf('sleeps'))));
    await at.settle();
    at.clock.ms += 1000;
    const endsOf = (runIds: string[]) =>
      Promise.all(runIds.map(async (runId) => (await at.types(runId)).includes('TIMER_FIRED')));
    return {
      at,
      runIds: started.map(({ runId }) => runId),
      executionIds: started.map((one) => one.executionId),
      endsOf,
    };
  }

  it('is tried alone after a death, and set aside after three, while everything else goes on', async () => {
    const { at, runIds, executionIds, endsOf } = await asleep(6);
    const [deadly = '', ...others] = runIds;
    const told: SetAside[] = [];
    const onSetAside = async (_tx: Tx, run: SetAside) => void told.push(run);
    let deaths = 0;
    for (; deaths < 10; deaths++) {
      const { database: mortal, death } = fatal(database, deadly, 'dies');
      const server = engineForTests(mortal, at.now, { onSetAside });
      const work = async () => {
        while ((await server.runDue()) > 0);
      };
      if ((await Promise.race([work(), death])) !== 'dead') break;
      at.clock.ms += RESUME_AGAIN_MS;
    }
    expect(deaths).toBe(3);
    expect(await endsOf(others)).toEqual(others.map(() => true));
    expect(await listResumes(database.db)).toEqual([]);
    expect(told).toMatchObject([{ run_id: deadly, deaths: 3 }]);
    const reason = '3 servers did not survive it.';
    expect(await findSearchKeys(database.db, WORKSPACE, deadly)).toEqual({ 'internal.execution.quarantined': reason });
    expect(await at.quarantine.list(WORKSPACE)).toMatchObject([{ executionId: executionIds[0], deaths: 3, reason }]);

    await at.quarantine.retry({ workspaceId: WORKSPACE, executionId: executionIds[0] ?? '' }, async () => undefined);
    await at.settle();
    expect(await at.look(executionIds[0] ?? '')).toMatchObject({ status: 'COMPLETED', result: 'awake' });
    expect(await findSearchKeys(database.db, WORKSPACE, deadly)).toEqual({});
  });

  it('holds up nothing else when it fails, and is tried again', async () => {
    const { at, runIds, endsOf } = await asleep(3);
    const [broken = '', ...others] = runIds;
    const server = engineForTests(fatal(database, broken, 'fails').database, at.now);
    while ((await server.runDue()) > 0);
    expect(await endsOf(others)).toEqual([true, true]);
    expect(await at.quarantine.list(WORKSPACE)).toEqual([]);
    await at.settle();
    expect(await endsOf([broken])).toEqual([true]);
  });
});

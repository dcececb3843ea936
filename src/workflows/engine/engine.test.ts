import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../../kit/db/index.ts';
import { engineForTests, startOf, WORKSPACE } from './engine-for-tests.ts';
import { type Code, createTestWorker } from './worker-for-tests.ts';

const code: Code = {
  steps: { double: ([n]) => Number(n) * 2 },
  workflows: {
    threeSteps: async (ctx, input) => {
      let n = input;
      for (let i = 0; i < 3; i++) n = await ctx.step('double', [n]);
      return n;
    },
  },
};

onEachDatabase('the engine', (test) => {
  let database: Database;
  const now = () => Date.now();
  beforeAll(async () => {
    database = await test.open();
  });

  it('runs three steps to a result', async () => {
    const { engine, workers, events } = engineForTests(database, now);
    const worker = createTestWorker({ port: workers, workspaceId: WORKSPACE, code, now });
    const { executionId, runId } = await engine.start(startOf('threeSteps', 5));
    while ((await worker.work()) > 0);
    const execution = await engine.waitForEnd(WORKSPACE, executionId, AbortSignal.timeout(1000));
    expect(execution).toMatchObject({ status: 'COMPLETED', result: 40 });
    const history = await engine.history(WORKSPACE, runId, 0, 100);
    expect(history.map(({ id }) => id)).toEqual(history.map((_, i) => i + 1));
    expect(history.map(({ type }) => type)).toMatchSnapshot();
    const stream = await events.list(database.db, `workflow:${WORKSPACE}:${executionId}`, { after: 0, limit: 100 });
    expect(stream.map(({ type }) => type)).toMatchSnapshot();
    await events.stop();
  });
  afterAll(() => database?.close());
});

import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import { SlotMap } from '../../../kit/base/slot-map.ts';
import type { Database } from '../../../kit/db/index.ts';
import { createEvents } from '../../../kit/events/index.ts';
import { createRunStore } from '../../store/run-store.ts';
import { WORKSPACE } from '../port/start-for-tests.ts';
import { scene } from './engine-for-tests.ts';
import { createWorkStore } from './store/work-store.ts';
import { type RunCache, WorkUnit } from './work-unit.ts';

const OTHER = '0190c4a2-0000-7000-8000-000000000002';

onEachDatabase('a run of another workspace', (testDatabase) => {
  let database: Database;
  let runId: string;
  beforeAll(async () => {
    database = await testDatabase.open();
    const played = await scene(database, { workflows: { w: async (ctx) => ctx.signal('go') }, steps: {} });
    runId = (await played.run('w')).runId;
  });

  it('is neither found nor read nor taken from memory, and its owner finds it as before', async () => {
    const store = createRunStore(database.kind);
    const work = createWorkStore(database.kind);
    const cache: RunCache = new SlotMap();
    await database.transaction(async (tx) => {
      const row = await store.findRun(tx, runId);
      if (!row) throw new Error('The run is missing.');
      cache.set(runId, { row, steps: undefined });
      const events = createEvents({ database, now: Date.now });
      const options = { tx, store, work, events, cache, clock: Date.now, nextMicros: () => 0 };
      const unit = new WorkUnit(options);
      expect(await store.findRun(tx, runId, OTHER)).toBeUndefined();
      expect(await unit.findRun(OTHER, runId)).toBeUndefined();
      expect([cache.has(runId), unit.runs()]).toEqual([true, []]);
      expect((await unit.findRun(WORKSPACE, runId))?.row.run_id).toBe(runId);
      // Also once this transaction has it.
      expect(await unit.findRun(OTHER, runId)).toBeUndefined();
      expect((await unit.findRun(WORKSPACE, runId))?.row.run_id).toBe(runId);
    });
  });
});

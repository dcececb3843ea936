import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import type { Database, Tx } from '../../../kit/db/index.ts';
import { createEvents } from '../../../kit/events/index.ts';
import { createRunStore } from '../../store/run-store.ts';
import { createCommitter } from './committer.ts';
import { RunUnit } from './run-unit.ts';

onEachDatabase('work that is submitted together', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  /** A committer, and the transactions it has opened. */
  function open() {
    const units: RunUnit[] = [];
    const [clock, events] = [Date.now, createEvents({ database, now: Date.now })];
    const openUnit = (tx: Tx) => {
      const unit = new RunUnit({ tx, store: createRunStore(database.kind), events, clock, nextMicros: () => 0 });
      units.push(unit);
      return unit;
    };
    return { units, committer: createCommitter(database, openUnit, () => undefined) };
  }

  it('shares a transaction up to 256 turns, and one job is never divided', async () => {
    const { units, committer } = open();
    const work = async (unit: RunUnit) => units.indexOf(unit);
    const weights = [100, 100, 100, 32, 1000, 1];
    const places = await Promise.all(weights.map((weight) => committer.commitSoon(work, weight)));
    expect(places).toEqual([0, 0, 1, 1, 2, 3]);
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { systemClock } from '../base/clock.ts';
import type { Database } from '../db/index.ts';
import { turns } from './events-for-tests.ts';
import { createEvents, type Events } from './index.ts';

type Step =
  | { do: 'append'; handle: 0 | 1; count: number; rollBack: boolean; wait: boolean }
  /** A reader that rests for some turns of the event loop after each event it takes. */
  | { do: 'tail'; handle: 0 | 1; after: number; restTurns: number };

const handle = fc.constantFrom(0 as const, 1 as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('append' as const),
    handle,
    count: fc.integer({ min: 1, max: 7 }),
    rollBack: fc.boolean(),
    wait: fc.boolean(),
  }),
  fc.record({ do: fc.constant('tail' as const), handle, after: fc.nat(20), restTurns: fc.nat(3) }),
);

onEachDatabase('any interleaving of appends and tails', (test) => {
  const handles: Database[] = [];
  const readers: Events[] = [];
  beforeAll(async () => {
    handles.push(await test.open(), await test.open());
    for (const database of handles) readers.push(createEvents({ database, now: systemClock, pollMs: 2, pageSize: 3 }));
  });
  afterAll(async () => {
    await Promise.all(readers.map((events) => events.stop()));
    await Promise.all(handles.map((database) => database.close()));
  });

  let run = 0;
  it('shows every reader the exact sequence', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const stream = `run-${run++}`;
        const total = steps.reduce((sum, one) => sum + (one.do === 'append' && !one.rollBack ? one.count : 0), 0);
        const running: Promise<void>[] = [];
        // Two handles of one process would wait for each other inside SQLite with the event loop stopped.
        let writing: Promise<void> = Promise.resolve();
        for (const one of steps) {
          const [database, events] = [handles[one.handle]!, readers[one.handle]!];
          if (one.do === 'tail')
            running.push(expectExact(events, stream, Math.min(one.after, total), total, one.restTurns));
          else {
            const work = () => append(database, events, stream, one.count, one.rollBack);
            writing = test.kind === 'sqlite' ? writing.then(work) : work();
            running.push(writing);
            if (one.wait) await writing;
          }
        }
        await Promise.all(running);
        expect(await readers[0]!.head(handles[0]!.db, stream)).toBe(total);
      }),
      { numRuns: rounds(20, 60) },
    );
  });
});

async function append(
  database: Database,
  events: Events,
  stream: string,
  count: number,
  rollBack: boolean,
): Promise<void> {
  const work = database.transaction(async (tx) => {
    await events.append(tx, stream, Array(count).fill({ type: 'said', data: null }));
    if (rollBack) throw new Error('rolled back');
  });
  await work.catch((error: unknown) => {
    if (!rollBack) throw error;
  });
}

async function expectExact(
  events: Events,
  stream: string,
  after: number,
  last: number,
  restTurns: number,
): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  if (after === last) controller.abort();
  let seen = after;
  for await (const { seq } of events.tail(stream, { after, signal, until: ({ seq }) => seq === last })) {
    expect(seq).toBe(++seen);
    await turns(restTurns);
  }
  expect(seen).toBe(last);
}

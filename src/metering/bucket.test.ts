import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase, sqliteForTests } from '../../test/support/databases.ts';
import { refuseWrites } from '../../test/support/refuse-writes.ts';
import { rounds } from '../../test/support/rounds.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { Bucket, LEASE_MS } from './bucket.ts';
import { countQueries, createTestClock } from './metering-for-tests.ts';

const PROCESSES = 3;

onEachDatabase('a token bucket', (test) => {
  let databases: Database[];
  beforeAll(async () => {
    databases = [];
    for (let i = 0; i < PROCESSES; i++) databases.push(await test.open());
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
  });

  /** The same bucket as seen by three processes. */
  function open(perMinute: number, burst: number) {
    const clock = createTestClock();
    const id = uuid();
    const counted = databases.map(countQueries);
    const buckets = counted.map(
      ({ database }) => new Bucket({ id, perMinute, burst }, { database, now: clock.now, onHolding: () => undefined }),
    ) as [Bucket, Bucket, Bucket];
    return { clock, buckets, queries: () => counted.reduce((sum, { queries }) => sum + queries(), 0) };
  }

  async function takeAll(bucket: Bucket, amount = 1): Promise<number> {
    for (let taken = 0; ; taken++) if (!(await bucket.take(amount)).admitted) return taken;
  }

  it('begins full and refills at its rate, up to the burst', async () => {
    const { clock, buckets } = open(60 * 10, 10);
    expect(await takeAll(buckets[0])).toBe(10);
    clock.advance(300);
    expect(await takeAll(buckets[0])).toBe(3);
    clock.advance(60_000);
    expect(await takeAll(buckets[0])).toBe(10);
  });

  it('is shared by all processes', async () => {
    const { buckets } = open(60 * 10, 10);
    expect((await takeAll(buckets[0], 2)) * 2).toBe(10);
    expect(await takeAll(buckets[1])).toBe(0);
  });

  it('returns the exact wait', async () => {
    const { clock, buckets } = open(100, 100);
    await takeAll(buckets[0]);
    const verdict = await buckets[1].take(7);
    if (verdict.admitted) throw new Error('expected a refusal');
    clock.advance(Math.floor(verdict.waitMs) - 1);
    expect(await buckets[1].take(7)).toMatchObject({ admitted: false });
    clock.advance(2);
    expect(await buckets[1].take(7)).toEqual({ admitted: true });
  });

  it('is leased in slices: many requests, few queries, and fewer at a time as it empties', async () => {
    const { buckets, queries } = open(60 * 10_000, 10_000);
    const sizes: number[] = [];
    let before = 0;
    let size = 0;
    while ((await buckets[0].take(1)).admitted) {
      if (queries() > before) {
        if (size > 0) sizes.push(size);
        size = 0;
        before = queries();
      }
      size++;
    }
    expect(queries()).toBeLessThan(100);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(sizes[0]).toBeGreaterThan(500);
    expect(sizes.at(-1)).toBe(1);
  });

  it('gets an unused lease back when it expires, less the refill of that time, and everything at a stop', async () => {
    const { clock, buckets } = open(60_000, 60_000);
    const [idle, busy] = buckets;
    await idle.take(1);
    expect(idle.canTake(7_000, clock.now())).toBe(true);
    expect(await idle.release(clock.now())).toBe(false);
    clock.advance(LEASE_MS);
    expect(idle.canTake(1, clock.now())).toBe(false);
    expect(await idle.release(clock.now())).toBe(true);
    expect((await takeAll(busy, 100)) * 100).toBeGreaterThan(59_000);

    const stopping = open(60_000, 60_000);
    await stopping.buckets[0].take(1);
    expect(await stopping.buckets[0].release(stopping.clock.now(), true)).toBe(true);
    expect(await stopping.buckets[1].take(59_749)).toEqual({ admitted: true });
  });

  it('applies a refund at once, for this process and for the others', async () => {
    const { clock, buckets } = open(60, 1_000);
    await takeAll(buckets[0], 100);
    buckets[0].correct(300);
    expect(await buckets[0].take(100)).toEqual({ admitted: true });
    await buckets[0].release(clock.now(), true);
    expect(await takeAll(buckets[1], 100)).toBe(2);
  });

  it('makes all requests wait until a debt is paid', async () => {
    const { clock, buckets } = open(6_000, 1_000);
    await takeAll(buckets[0], 100);
    buckets[0].correct(-500);
    const verdict = await buckets[0].take(100);
    expect(verdict.admitted || verdict.waitMs).toBeGreaterThan(5_000);
    clock.advance(4_000);
    expect(await buckets[1].take(100)).toMatchObject({ admitted: false });
    clock.advance(2_000);
    expect(await buckets[1].take(100)).toEqual({ admitted: true });
  });

  it('charges a request that is larger than the bucket a full bucket', async () => {
    const { buckets } = open(600, 600);
    const charge = buckets[0].chargeFor(1_000_000);
    expect(await buckets[0].take(charge)).toEqual({ admitted: true });
    expect(await buckets[1].take(1)).toMatchObject({ admitted: false });
  });

  it('answers a repeated refusal from memory', async () => {
    const { clock, buckets, queries } = open(60, 1);
    await takeAll(buckets[0]);
    const before = queries();
    expect(buckets[0].refusalMs(1, clock.now())).toBe(1_000);
    clock.advance(999);
    expect(buckets[0].refusalMs(1, clock.now())).toBeCloseTo(1);
    clock.advance(1);
    expect(buckets[0].refusalMs(1, clock.now())).toBeUndefined();
    expect(queries()).toBe(before);
  });

  it('refuses no request while all processes together stay under the limit', async () => {
    const { clock, buckets, queries } = open(60 * 200, 200);
    let requests = 0;
    for (let ms = 0; ms < 20_000; ms += 10) {
      // 90 requests a second in each of two processes.
      for (const bucket of ms % 100 === 0 ? [] : buckets.slice(0, 2)) {
        requests++;
        expect(await bucket.take(1)).toEqual({ admitted: true });
      }
      if (ms % 1_000 === 0) for (const bucket of buckets) await bucket.release(clock.now());
      clock.advance(10);
    }
    expect(queries()).toBeLessThan(requests / 4);
  });

  it.each([
    { perSecond: 1_000, burst: 1_000 },
    { perSecond: 1_000, burst: 100 },
    { perSecond: 70, burst: 70 },
    { perSecond: 20, burst: 1_200 },
  ])('counts what processes hold as part of the burst: %o', async ({ perSecond, burst }) => {
    const { clock, buckets } = open(perSecond * 60, burst);
    for (const bucket of buckets) {
      await bucket.take(1);
      clock.advance((LEASE_MS - 1) / PROCESSES);
    }
    let taken = 0;
    for (const bucket of buckets) taken += await takeAll(bucket);
    expect(taken).toBeLessThanOrEqual(burst);
  });

  it('leases nothing of a small bucket, not even what was too little for the last in the queue', async () => {
    const { clock, buckets } = open(145 * 60, 40);
    await Promise.all([1, 2, 3].map(() => buckets[0].take(16)));
    clock.advance(229);
    let taken = 0;
    for (const bucket of buckets) taken += await takeAll(bucket);
    expect(taken).toBeLessThanOrEqual(40);
  });

  it.runIf(isSqliteOrFull(test))(
    'admits requests after the announced wait when processes ask for more than there is',
    async () => {
      const { clock, buckets } = open(60 * 200, 200);
      let admitted = 0;
      for (let ms = 0; ms < 10_000; ms += 10) {
        for (const bucket of buckets) if ((await bucket.take(1)).admitted) admitted++;
        clock.advance(10);
      }
      expect(admitted).toBeLessThanOrEqual(200 * 11);
      expect(admitted).toBeGreaterThan(200 * 9.5);
    },
  );

  it('admits in no window more than the burst and the refill, however the processes interleave', async () => {
    const process = fc.nat(PROCESSES - 1);
    const take = fc.record({
      process,
      amount: fc.integer({ min: 1, max: 40 }),
      times: fc.integer({ min: 1, max: 25 }),
    });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ takes: fc.array(take, { minLength: 1, maxLength: 4 }) }) },
      { weight: 3, arbitrary: fc.record({ advanceMs: fc.oneof(fc.nat(40), fc.nat(249), fc.nat(3_000)) }) },
      { weight: 2, arbitrary: fc.record({ drainBy: fc.integer({ min: 1, max: 40 }) }) },
      { weight: 1, arbitrary: fc.record({ refused: process, afterMs: fc.nat(300) }) },
      { weight: 1, arbitrary: fc.record({ release: process, everything: fc.boolean() }) },
    );
    const spec = fc.record({
      perSecond: fc.integer({ min: 1, max: 1_000 }),
      burst: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 40, max: 2_000 })),
    });
    await fc.assert(
      fc.asyncProperty(spec, fc.array(step, { minLength: 5, maxLength: 30 }), async ({ perSecond, burst }, steps) => {
        const { clock, buckets } = open(perSecond * 60, burst);
        const admitted: { atMs: number; amount: number }[] = [];
        const tryToTake = async (bucket: Bucket, amount: number) => {
          const charge = bucket.chargeFor(amount);
          const atMs = clock.now();
          const verdict = await bucket.take(charge);
          if (verdict.admitted) admitted.push({ atMs, amount: charge });
          return verdict.admitted;
        };
        for (const current of steps) {
          if ('advanceMs' in current) clock.advance(current.advanceMs);
          else if ('release' in current) await buckets[current.release]!.release(clock.now(), current.everything);
          else if ('refused' in current) {
            const [bucket, takenAtMs] = [buckets[current.refused]!, clock.now()];
            const isTaken = (await bucket.take(1)).admitted;
            clock.advance(current.afterMs);
            if (isTaken) bucket.giveBack(1, takenAtMs);
          } else if ('drainBy' in current) {
            for (const bucket of buckets) while (await tryToTake(bucket, current.drainBy));
          } else {
            const calls = current.takes.flatMap(({ process, amount, times }) =>
              Array.from({ length: times }, () => tryToTake(buckets[process]!, amount)),
            );
            await Promise.all(calls);
          }
        }
        for (const [first, { atMs: fromMs }] of admitted.entries()) {
          let sum = 0;
          for (const { atMs, amount } of admitted.slice(first)) {
            sum += amount;
            const allowed = burst + ((atMs - fromMs) * perSecond) / 1000;
            if (sum > allowed + 1e-3) throw new Error(`${sum} admitted in ${atMs - fromMs} ms, ${allowed} allowed`);
          }
        }
        // A refused request is admitted after the announced wait.
        await Promise.all(buckets.map((bucket) => bucket.release(clock.now(), true)));
        const [bucket] = buckets;
        const verdict = await bucket.take(bucket.chargeFor(40));
        if (!verdict.admitted) {
          clock.advance(Math.ceil(verdict.waitMs));
          expect(await bucket.take(bucket.chargeFor(40))).toEqual({ admitted: true });
        }
      }),
      { numRuns: rounds(15, 60) },
    );
  }, 60_000);
});

it('a bucket whose database cannot be written goes on from memory at the same rate, and writes it later', async () => {
  const test = sqliteForTests();
  const database = await test.open();
  const clock = createTestClock();
  const spec = { id: uuid(), perMinute: 60 * 100, burst: 100 };
  const open = () => new Bucket(spec, { database, now: clock.now, onHolding: () => undefined });
  const takeAll = async (bucket: Bucket) => {
    for (let taken = 0; ; taken++) if (!(await bucket.take(1)).admitted) return taken;
  };
  const bucket = open();
  for (let n = 0; n < 30; n++) await bucket.take(1);
  await refuseWrites(database, true);
  const before = await takeAll(bucket);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThanOrEqual(70);
  clock.advance(200);
  expect(await takeAll(bucket)).toBe(20);
  await refuseWrites(database, false);
  await bucket.release(clock.now(), true);
  // Another that knows nothing but what the database says.
  expect(await takeAll(open())).toBeLessThanOrEqual(70 - before);
  await database.close();
});

import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { type Database, withPrelude } from '../../kit/db/index.ts';
import { countQueries, createTestClock, newPayer, openMetering, usageOf } from '../metering-for-tests.ts';
import type { Payer } from '../schema.ts';

const SIZES = { flush: 20, transaction: 10, bufferMax: 400 };

onEachDatabase('the ledger', (test) => {
  let database: Database;
  const clock = createTestClock();
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());

  async function totalsOf({ organization_id }: Payer) {
    const sums = sql<string>`count(*) || ' ' || coalesce(sum(prompt_tokens), 0) || ' ' || coalesce(sum(cost_micros), 0)`;
    const daily = sql<string>`coalesce(sum(requests), 0) || ' ' || coalesce(sum(prompt_tokens), 0) || ' ' || coalesce(sum(cost_micros), 0)`;
    const { db } = database;
    const where = ['organization_id', '=', organization_id] as const;
    const records = await db
      .selectFrom('usage_records')
      .select(sums.as('is'))
      .where(...where)
      .executeTakeFirstOrThrow();
    const rolled = await db
      .selectFrom('usage_daily')
      .select(daily.as('is'))
      .where(...where)
      .executeTakeFirstOrThrow();
    return [records.is, rolled.is];
  }
  const exactly = (requests: number) => Array(2).fill(`${requests} ${requests * 10} ${requests * 3}`);

  it('counts parallel requests of two processes exactly, in the records and in the daily totals', async () => {
    const payers = [newPayer(), newPayer(), newPayer()];
    const processes = [1, 2].map(() => openMetering(database, clock, { ledgerSizes: SIZES }));
    const request = async (index: number) => {
      if (index % 3 === 0) await setImmediate();
      const model = index % 2 ? 'small' : 'large';
      processes[index % 2]!.metering.record(usageOf(payers[index % payers.length]!, { model }));
    };
    await Promise.all(Array.from({ length: 300 }, (_, index) => request(index)));
    await Promise.all(processes.map(({ metering }) => metering.stop()));
    for (const payer of payers) expect(await totalsOf(payer)).toEqual(exactly(100));
  });

  it('writes every field of a record, whether many alike come in a row or each is of another key', async () => {
    const busy = newPayer();
    const others = Array.from({ length: 12 }, () => ({ ...newPayer(), organization_id: busy.organization_id }));
    const { metering } = openMetering(database, clock);
    const payers = [...Array<Payer>(61).fill(busy), ...others, busy];
    for (const [index, payer] of payers.entries())
      metering.record({
        scope: payer,
        model: 'small',
        kind: 'chat',
        promptTokens: index,
        completionTokens: 1000 + index,
        cachedTokens: 2000 + index,
        costMicros: 3000 + index,
        status: 200,
        latencyMs: 4000 + index,
        requestId: `request-${String(index).padStart(2, '0')}`,
      });
    await metering.stop();
    const rows = await database.db
      .selectFrom('usage_records')
      .selectAll()
      .where('organization_id', '=', busy.organization_id)
      .orderBy('request_id')
      .execute();
    expect(rows).toEqual(
      payers.map((payer, index) => ({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ...payer,
        request_id: `request-${String(index).padStart(2, '0')}`,
        model: 'small',
        kind: 'chat',
        prompt_tokens: index,
        completion_tokens: 1000 + index,
        cached_tokens: 2000 + index,
        cost_micros: 3000 + index,
        status: 200,
        latency_ms: 4000 + index,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{15}Z$/),
      })),
    );
  });

  it('loses to a crash only what was not flushed', async () => {
    const payer = newPayer();
    const { metering } = openMetering(database, clock);
    for (let i = 0; i < 300; i++) metering.record(usageOf(payer));
    await metering.flush();
    const crashing = openMetering({ ...database, transaction: () => new Promise(() => undefined) }, clock).metering;
    for (let i = 0; i < 200; i++) crashing.record(usageOf(payer));
    void crashing.flush();
    expect(await totalsOf(payer)).toEqual(exactly(300));
  });

  it('does not write a steady load in tiny transactions, and loses no record', async () => {
    const payer = newPayer();
    let transactions = 0;
    const transaction: Database['transaction'] = async (work) => {
      transactions++;
      // As many as come while one is written.
      if (transactions <= 20) for (let i = 0; i < 4; i++) metering.record(usageOf(payer));
      return database.transaction(work);
    };
    const { metering } = openMetering({ ...database, transaction }, clock, { ledgerSizes: SIZES });
    for (let i = 1; i < SIZES.flush; i++) metering.record(usageOf(payer));
    await metering.flush();
    expect(transactions).toBe(2);
    // A flush called while one runs waits for everything recorded before the call.
    metering.record(usageOf(payer));
    const first = metering.flush();
    metering.record(usageOf(payer));
    await Promise.all([first, metering.flush(), metering.flush()]);
    expect(transactions).toBe(4);
    expect(await totalsOf(payer)).toEqual(exactly(19 + 8 + 2 + 4));
    await metering.stop();
    expect(await totalsOf(payer)).toEqual(exactly(19 + 8 + 2 + 8 + 4));
  });

  it('keeps what could not be written and writes it once the database is back', async () => {
    const payer = newPayer();
    let isAway = true;
    const transaction: Database['transaction'] = (work) =>
      isAway ? Promise.reject(new Error('away')) : database.transaction(work);
    const { metering, lines } = openMetering({ ...database, transaction }, clock);
    for (let i = 0; i < 1_700; i++) metering.record(usageOf(payer));
    await expect(metering.flush()).rejects.toThrow('away');
    expect(lines).toContainEqual(expect.objectContaining({ level: 40, rows: 1_700 }));
    isAway = false;
    await metering.flush();
    expect(await totalsOf(payer)).toEqual(exactly(1_700));
    await metering.stop();
  });

  it('counts nothing twice when a commit succeeds and its result is lost', async () => {
    const payer = newPayer();
    let losses = 3;
    const transaction: Database['transaction'] = async (work) => {
      const result = await database.transaction(work);
      if (losses-- > 0) throw new Error('connection lost');
      return result;
    };
    const { metering } = openMetering({ ...database, transaction }, clock);
    for (let i = 0; i < 600; i++) metering.record(usageOf(payer));
    while (losses > 0) await metering.flush().catch(() => undefined);
    await metering.flush();
    expect(await totalsOf(payer)).toEqual(exactly(600));
  });

  it('writes records and totals together or not at all', async () => {
    const payer = newPayer();
    let failures = 1;
    const transaction: Database['transaction'] = (work) =>
      database.transaction(async (tx) => {
        const result = await work(tx);
        if (failures-- > 0) throw new Error('no');
        return result;
      });
    const { metering } = openMetering({ ...database, transaction }, clock);
    metering.record(usageOf(payer));
    await expect(metering.flush()).rejects.toThrow('no');
    expect(await totalsOf(payer)).toEqual(exactly(0));
    await metering.flush();
    expect(await totalsOf(payer)).toEqual(exactly(1));
  });

  it('is not blocked by a record that the database would refuse', async () => {
    const payer = newPayer();
    const { metering } = openMetering(database, clock);
    metering.record(usageOf(payer, { model: 'a\0b', latencyMs: 1.5, costMicros: 2.7, completionTokens: Number.NaN }));
    await metering.flush();
    expect(await totalsOf(payer)).toEqual(['1 10 3', '1 10 3']);
  });

  it('flushes outside the transaction and the idempotency claim of a request', async () => {
    const payer = newPayer();
    const { metering } = openMetering(database, clock, { ledgerSizes: SIZES });
    let claims = 0;
    const claim = async () => {
      claims++;
    };
    await withPrelude(claim, async () => {
      for (let i = 0; i < SIZES.flush; i++) metering.record(usageOf(payer));
      await metering.flush();
    });
    expect(claims).toBe(0);
    await database.transaction(async () => {
      for (let i = 0; i < SIZES.flush; i++) metering.record(usageOf(payer));
    });
    await metering.stop();
    expect(await totalsOf(payer)).toEqual(exactly(2 * SIZES.flush));
  });

  it('computes a cost from the price per million tokens when none is given', async () => {
    const payer = newPayer();
    const { metering } = openMetering(database, clock, { prices: () => ({ prompt: 0.1, completion: 0.3 }) });
    const { costMicros: _, ...usage } = usageOf(payer, { promptTokens: 1_000_000, completionTokens: 500_000 });
    metering.record(usage);
    await metering.flush();
    expect(await metering.spent(database.db, { kind: 'workspace', id: payer.workspace_id })).toBe(250_000);
  });
});

describe('the buffer of the ledger', () => {
  const clock = createTestClock();
  const unreachable = (transaction: Database['transaction']): Database =>
    ({ kind: 'sqlite', transaction, wakeups: { listen: () => () => undefined } }) as unknown as Database;

  it('is written after a second', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let transactions = 0;
    const { metering } = openMetering(
      unreachable(() => {
        transactions++;
        return new Promise(() => undefined);
      }),
      clock,
    );
    const payer = newPayer();
    metering.record(usageOf(payer));
    vi.advanceTimersByTime(999);
    expect(transactions).toBe(0);
    vi.advanceTimersByTime(1);
    expect(transactions).toBe(1);
    vi.useRealTimers();
  });

  it('goes on being written after a write that took longer than a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const writes: PromiseWithResolvers<never>[] = [];
    const { metering } = openMetering(
      unreachable(() => {
        const write = Promise.withResolvers<never>();
        writes.push(write);
        return write.promise;
      }),
      clock,
    );
    const payer = newPayer();
    metering.record(usageOf(payer));
    vi.advanceTimersByTime(1000);
    // Recorded while the first write waits for the disk, and due while it still does.
    metering.record(usageOf(payer));
    vi.advanceTimersByTime(1000);
    writes[0]?.resolve(undefined as never);
    await vi.waitFor(() => expect(writes).toHaveLength(2));
    writes[1]?.resolve(undefined as never);
    await setImmediate();
    metering.record(usageOf(payer));
    vi.advanceTimersByTime(1000);
    expect(writes).toHaveLength(3);
    vi.useRealTimers();
  });

  it('is written at once when so many wait that they fill two transactions', () => {
    let transactions = 0;
    const { metering } = openMetering(
      unreachable(() => {
        transactions++;
        return new Promise(() => undefined);
      }),
      clock,
      { ledgerSizes: SIZES },
    );
    const payer = newPayer();
    for (let i = 1; i < SIZES.flush; i++) metering.record(usageOf(payer));
    expect(transactions).toBe(0);
    metering.record(usageOf(payer));
    expect(transactions).toBe(1);
  });

  it('drops the oldest beyond its bound, says how many and counts them', async () => {
    const registry = new Registry();
    const { metering, lines } = openMetering(
      unreachable(() => Promise.reject(new Error('away'))),
      clock,
      { registry, ledgerSizes: SIZES },
    );
    const payer = newPayer();
    for (let i = 0; i < SIZES.flush; i++) metering.record(usageOf(payer));
    await expect(metering.flush()).rejects.toThrow('away');
    const usage = usageOf(payer);
    for (let i = SIZES.flush; i < SIZES.bufferMax + 7; i++) metering.record(usage);
    await metering.stop();
    expect(lines).toContainEqual(
      expect.objectContaining({ rows: 7, msg: expect.stringContaining('records were dropped') }),
    );
    expect(lines.at(-1)).toMatchObject({ level: 50, rows: SIZES.bufferMax });
    expect(await registry.metrics()).toContain('usage_records_dropped_total 7');
  });
});

onEachDatabase('usage', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());

  it('is reported by any mix of day, model, kind, workspace and key, within one organization', async () => {
    const clock = createTestClock('2026-01-30T12:00:00Z');
    const { metering } = openMetering(database, clock);
    const [one, stranger] = [newPayer(), newPayer()];
    const other = { ...one, workspace_id: 'w2', key_id: 'k2' };
    for (let day = 0; day < 3; day++) {
      metering.record(usageOf(one));
      metering.record(usageOf(one, { kind: 'embeddings', model: 'embed' }));
      metering.record(usageOf(other));
      metering.record(usageOf(stranger));
      clock.advance(86_400_000);
    }
    await metering.flush();
    const ask = (groupBy: Parameters<typeof metering.usage>[2]['groupBy'], to = '2026-02-28') =>
      metering.usage(database.db, one.organization_id, { from: '2026-01-30', to, groupBy });
    const totals = (requests: number) => ({
      requests,
      prompt_tokens: requests * 10,
      completion_tokens: requests * 5,
      cached_tokens: requests * 2,
      cost_micros: requests * 3,
    });
    expect(await ask([])).toEqual([totals(9)]);
    expect(await ask(['day'])).toEqual([
      { day: '2026-01-30', ...totals(3) },
      { day: '2026-01-31', ...totals(3) },
      { day: '2026-02-01', ...totals(3) },
    ]);
    expect(await ask(['day'], '2026-01-30')).toEqual([{ day: '2026-01-30', ...totals(3) }]);
    expect(await ask(['model', 'kind'])).toEqual([
      { model: 'embed', kind: 'embeddings', ...totals(3) },
      { model: 'small', kind: 'chat', ...totals(6) },
    ]);
    expect(await ask(['month'])).toEqual([
      { month: '2026-01', ...totals(6) },
      { month: '2026-02', ...totals(3) },
    ]);
    expect(await ask(['month', 'model'], '2026-01-31')).toEqual([
      { month: '2026-01', model: 'embed', ...totals(2) },
      { month: '2026-01', model: 'small', ...totals(4) },
    ]);
    const range = { from: '2026-01-30', to: '2026-02-28', groupBy: ['model'] } as const;
    const only = (narrowed: { model?: string; key_id?: string; workspace_id?: string }) =>
      metering.usage(database.db, one.organization_id, { ...range, only: narrowed });
    expect(await only({ model: 'small' })).toEqual([{ model: 'small', ...totals(6) }]);
    expect(await only({ key_id: 'k2' })).toHaveLength(1);
    expect(await only({ key_id: 'k2', workspace_id: 'elsewhere' })).toEqual([]);
    expect(await ask(['workspace_id'])).toContainEqual({ workspace_id: 'w2', ...totals(3) });
    expect(await ask(['key_id'])).toContainEqual({ key_id: 'k2', ...totals(3) });
    // The clock began at an hour of the thirtieth of January, and moved by whole days.
    const hours = await ask(['hour']);
    expect(hours.map(({ hour, ...rest }) => [hour?.slice(0, 10), rest])).toEqual([
      ['2026-01-30', totals(3)],
      ['2026-01-31', totals(3)],
      ['2026-02-01', totals(3)],
    ]);
    expect(hours.every(({ hour }) => /^2026-\d\d-\d\dT\d\d$/.test(hour ?? ''))).toBe(true);
    expect(await ask(['day', 'user_id'], '2026-01-30')).toEqual([
      { day: '2026-01-30', user_id: one.user_id, ...totals(3) },
    ]);
    expect(
      await metering.usage(database.db, 'nobody', { from: '2026-01-01', to: '2026-12-31', groupBy: ['day'] }),
    ).toEqual([]);
    // The clock stands on the second of February.
    expect(await metering.spent(database.db, { kind: 'organization', id: one.organization_id })).toBe(9);
    expect(await metering.spent(database.db, { kind: 'workspace', id: one.workspace_id })).toBe(6);
    expect(await metering.spent(database.db, { kind: 'key', id: 'k2' })).toBe(3);
  });

  it('keeps its daily totals when old records are pruned', async () => {
    const clock = createTestClock('2026-01-01T00:00:00Z');
    const { metering } = openMetering(database, clock);
    const payer = newPayer();
    for (let i = 0; i < 1_200; i++) metering.record(usageOf(payer));
    clock.advance(1);
    metering.record(usageOf(payer));
    await metering.flush();
    clock.advance(90 * 86_400_000);
    expect(await metering.prune()).toBe(1_200);
    const left = database.db.selectFrom('usage_records').select('id').where('key_id', '=', payer.key_id);
    expect(await left.execute()).toHaveLength(1);
    expect(await metering.prune('2027-01-01T00:00:00Z')).toBeGreaterThanOrEqual(1);
    const [total] = await metering.usage(database.db, payer.organization_id, {
      from: '2026-01-01',
      to: '2026-01-01',
      groupBy: [],
    });
    expect(total!.requests).toBe(1_201);
  });

  it('is recorded without a query', () => {
    const counted = countQueries(database);
    const { metering } = openMetering(counted.database, createTestClock());
    const payer = newPayer();
    for (let i = 0; i < 900; i++) metering.record(usageOf(payer));
    expect(counted.queries()).toBe(0);
  });
});

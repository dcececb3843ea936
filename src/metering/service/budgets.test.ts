import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Database } from '../../kit/db/index.ts';
import { createTestClock, limit, newPayer, openMetering, type TestClock, usageOf } from '../metering-for-tests.ts';
import type { Payer } from '../schema.ts';
import type { Reservation } from './admission.ts';
import type { Metering } from './metering-service.ts';

const chat = { model: 'small', estimatedTokens: 100 };
const prices = () => ({ prompt: 1, completion: 1 });

onEachDatabase('a budget', (test) => {
  let database: Database;
  let clock: TestClock;
  let payer: Payer;
  let metering: Metering;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    clock = createTestClock();
    payer = newPayer();
    ({ metering } = openMetering(database, clock, { prices }));
  });

  const setBudget = (micros: number, kind: 'key' | 'workspace' | 'organization' = 'workspace') =>
    limit(database, metering, payer, kind, { monthly_budget_micros: micros });
  /** Refusals from memory are thrown at once, others reject. */
  const tryTo = async (...request: Parameters<Metering['reserve']>) => metering.reserve(...request);
  const finish = (reservation: Reservation, costMicros: number) => {
    metering.settle(reservation, costMicros);
    metering.record(usageOf(payer, { costMicros }));
  };

  it('of a workspace applies to a session that just came from another workspace', async () => {
    const there = { ...payer, workspace_id: uuid() };
    await setBudget(0);
    for (let round = 0; round < 2; round++) {
      await metering.reserve(there, chat);
      await expect(tryTo(payer, chat)).rejects.toMatchObject({ code: 'budget_spent' });
    }
  });

  it('of an organization does not apply to the same user in another organization', async () => {
    const there = { ...payer, organization_id: uuid(), workspace_id: uuid() };
    await setBudget(0, 'organization');
    await expect(tryTo(payer, chat)).rejects.toMatchObject({ code: 'budget_spent' });
    await metering.reserve(there, chat);
  });

  it('with room for one lets one of a thousand pass that come at once, and the others are told to wait a moment', async () => {
    await setBudget(100);
    const tried = await Promise.allSettled(Array.from({ length: 1000 }, async () => metering.reserve(payer, chat)));
    const refused = tried.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(999);
    for (const { status, code, wireCode, headers } of refused)
      expect([status, code, wireCode, headers['retry-after']]).toEqual([429, 'budget_held', '1300', '1']);
  });

  it('gives back what a request held and did not need', async () => {
    await setBudget(100);
    const first = await metering.reserve(payer, chat);
    await expect(tryTo(payer, chat)).rejects.toThrow('held for requests that are under way');
    finish(first, 10);
    const second = await metering.reserve(payer, { ...chat, heldTokens: 89 });
    const third = await metering.reserve(payer, chat);
    await expect(tryTo(payer, chat)).rejects.toThrow('held');
    finish(second, 45);
    finish(third, 45);
    await expect(tryTo(payer, chat)).rejects.toThrow('is spent');
  });

  it('holds for each request under way what that one needs, until it has ended', async () => {
    await setBudget(100);
    const first = await metering.reserve(payer, { ...chat, heldTokens: 60 });
    const second = await metering.reserve(payer, { ...chat, heldTokens: 30 });
    finish(first, 10);
    await metering.reserve(payer, { ...chat, heldTokens: 60 });
    await expect(tryTo(payer, chat)).rejects.toThrow('held');
    finish(second, 0);
    await metering.reserve(payer, chat);
  });

  it('lets background work pass while it is held, but not when it is spent', async () => {
    const background = { ...payer, isBackground: true };
    await setBudget(100);
    const first = await metering.reserve(payer, chat);
    await metering.reserve(background, chat);
    finish(first, 100);
    await expect(tryTo(background, chat)).rejects.toThrow('is spent');
  });

  it('gives back what a request held that another limit refused', async () => {
    await setBudget(150);
    await limit(database, metering, payer, 'key', { requests_per_second: 1 });
    finish(await metering.reserve(payer, chat), 10);
    for (let round = 0; round < 3; round++)
      await expect(tryTo(payer, chat)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    clock.advance(1000);
    finish(await metering.reserve(payer, chat), 10);
  });

  it('holds nothing for a request that another limit refuses after what was spent is read anew', async () => {
    const elsewhere = { ...payer, workspace_id: uuid() };
    await setBudget(100);
    await limit(database, metering, payer, 'key', { tokens_per_minute: 200 });
    metering.settle(await metering.reserve(payer, chat), 100);
    clock.advance(500);
    metering.settle(await metering.reserve(elsewhere, chat), 100);
    // What was spent is too old to be trusted, and the rate limit is not.
    clock.advance(600);
    for (let round = 0; round < 2; round++)
      await expect(tryTo(payer, chat)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    clock.advance(60_000);
    await metering.reserve(payer, chat);
  });

  it('lets a part of a request pass while the request holds the rest, until its own usage spends it', async () => {
    await setBudget(100);
    await metering.reserve(payer, chat);
    const part = { model: 'small', estimatedTokens: 0, isPart: true };
    await metering.reserve(payer, part);
    await metering.reserve(payer, { ...part, unrecorded: { promptTokens: 60, completionTokens: 39 } });
    const spent = { promptTokens: 60, completionTokens: 40 };
    await expect(tryTo(payer, { ...part, unrecorded: spent })).rejects.toThrow('is spent');
  });

  it('cannot be passed by requests that each cost less than can be counted', async () => {
    ({ metering } = openMetering(database, clock, { prices: () => ({ prompt: 0.1, completion: 0 }) }));
    await setBudget(10);
    const { costMicros: _, ...tiny } = usageOf(payer, { promptTokens: 1, completionTokens: 0 });
    for (let count = 0; count < 10; count++) metering.record(tiny);
    // 0.1 * 30 is a little more than 3, and still costs 3.
    metering.record({ ...tiny, scope: { ...payer, key_id: 'other' }, promptTokens: 30 });
    await metering.flush();
    expect(await metering.spent(database.db, { kind: 'key', id: payer.key_id })).toBe(10);
    expect(await metering.spent(database.db, { kind: 'key', id: 'other' })).toBe(3);
    await expect(tryTo(payer, chat)).rejects.toMatchObject({ code: 'budget_spent' });
  });

  it('counts a model server that reports absurd numbers, and the ledger goes on', async () => {
    ({ metering } = openMetering(database, clock, { prices: () => ({ prompt: 1e300, completion: 1 }) }));
    const { costMicros: _, ...usage } = usageOf(payer, { promptTokens: Number.MAX_SAFE_INTEGER });
    for (let count = 0; count < 2000; count++) metering.record(usage);
    metering.record({ ...usage, promptTokens: Number.POSITIVE_INFINITY, completionTokens: Number.NaN });
    await metering.flush();
    const [total] = await metering.usage(database.db, payer.organization_id, {
      from: '2026-03-01',
      to: '2026-03-31',
      groupBy: [],
    });
    expect(total).toMatchObject({ requests: 2001, prompt_tokens: 2001e9, cost_micros: 2001e11 });
  });

  it('counts usage exactly while the ledger is being written', async () => {
    await setBudget(Number.MAX_SAFE_INTEGER);
    for (let round = 1; round <= 5; round++) {
      for (let count = 0; count < 50; count++) metering.record(usageOf(payer, { costMicros: 1 }));
      await setBudget(round * 50 + 1);
      clock.advance(1000);
      const writing = metering.flush();
      await metering.reserve(payer, { ...chat, estimatedTokens: 0 });
      await setBudget(round * 50);
      clock.advance(1000);
      await expect(tryTo(payer, chat)).rejects.toMatchObject({ code: 'budget_spent' });
      await writing;
    }
  });
});

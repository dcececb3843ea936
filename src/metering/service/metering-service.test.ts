import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import {
  clear,
  countQueries,
  createTestClock,
  limit,
  newPayer,
  openMetering,
  type TestClock,
  usageOf,
} from '../metering-for-tests.ts';
import type { Payer } from '../schema.ts';
import type { Metering } from './metering-service.ts';

const chat = { model: 'small', estimatedTokens: 100 };

onEachDatabase('metering in two processes', (test) => {
  let database: Database;
  let elsewhere: Database;
  let clock: TestClock;
  let payer: Payer;
  beforeAll(async () => {
    database = await test.open();
    elsewhere = await test.open();
  });
  afterAll(async () => {
    await database.close();
    await elsewhere.close();
  });
  beforeEach(() => {
    clock = createTestClock();
    payer = newPayer();
  });

  async function refusal(metering: Metering, who = payer, request = chat): Promise<ApiError> {
    try {
      await metering.reserve(who, request);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
    throw new Error('expected a refusal');
  }

  async function admitted(metering: Metering, requests: number, who = payer, request = chat): Promise<number> {
    const attempts = Array.from({ length: requests }, async () => metering.reserve(who, request));
    const results = await Promise.allSettled(attempts);
    return results.filter(({ status }) => status === 'fulfilled').length;
  }

  it('reserves synchronously and without a query when no limit is set', async () => {
    const counted = countQueries(database);
    const { metering } = openMetering(counted.database, clock);
    await metering.start();
    const before = counted.queries();
    for (let i = 0; i < 10_000; i++) {
      const reservation = metering.reserve(payer, chat);
      if (reservation instanceof Promise) throw new Error('expected an answer from memory');
      expect(reservation.headers).toEqual({});
      metering.settle(reservation, 50);
    }
    expect(counted.queries()).toBe(before);
    await metering.stop();
  });

  it('reserves synchronously and without a query while a lease is at hand', async () => {
    const counted = countQueries(database);
    const { metering } = openMetering(counted.database, clock);
    await metering.start();
    await limit(database, metering, payer, 'key', { requests_per_second: 1_000, monthly_budget_micros: 1_000 });
    await limit(database, metering, payer, 'workspace', { tokens_per_minute: 1_000_000 });
    await metering.reserve(payer, chat);
    const before = counted.queries();
    for (let i = 0; i < 90; i++) expect(metering.reserve(payer, chat)).not.toBeInstanceOf(Promise);
    expect(counted.queries()).toBe(before);
    await metering.stop();
  });

  it('answers with the observed headers', async () => {
    const { metering } = openMetering(database, clock);
    await limit(database, metering, payer, 'key', { requests_per_second: 4, tokens_per_minute: 1_200 });
    const { headers } = await metering.reserve(payer, chat);
    expect(headers).toEqual({
      'x-ratelimit-limit-req-minute': '240',
      'x-ratelimit-remaining-req-minute': '180',
      'x-ratelimit-limit-tokens-minute': '1200',
      'x-ratelimit-remaining-tokens-minute': expect.stringMatching(/^1(099|100)$/),
      'x-ratelimit-tokens-query-cost': '100',
    });
  });

  it('refuses with 429, its body, and a Retry-After after which the request is admitted', async () => {
    const { metering } = openMetering(database, clock);
    await limit(database, metering, payer, 'key', { requests_per_second: 2, tokens_per_minute: 600 });
    expect(await admitted(metering, 10)).toBe(2);
    const error = await refusal(metering);
    expect(error).toMatchObject({
      status: 429,
      message: 'Rate limit exceeded',
      type: 'rate_limited',
      wireCode: '1300',
    });
    expect(error.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-remaining-req-minute': '0' });
    clock.advance(1_000);
    expect(await admitted(metering, 10)).toBe(2);
    clock.advance(1_000);
    const large = { ...chat, estimatedTokens: 500 };
    const waitSeconds = Number((await refusal(metering, payer, large)).headers['retry-after']);
    expect(waitSeconds).toBeGreaterThan(20);
    clock.advance((waitSeconds - 1) * 1000);
    await refusal(metering, payer, large);
    clock.advance(1_000);
    expect(await admitted(metering, 1, payer, large)).toBe(1);
  });

  it('does not count a request that one limit refuses against the others', async () => {
    const { metering } = openMetering(database, clock);
    await limit(database, metering, payer, 'workspace', { requests_per_second: 5 });
    await limit(database, metering, payer, 'key', { requests_per_second: 10, tokens_per_minute: 100_000 });
    expect(await admitted(metering, 30)).toBe(5);
    const colleague = { ...payer, workspace_id: 'another', user_id: 'another' };
    await metering.stop();
    const fresh = openMetering(database, clock).metering;
    expect(await admitted(fresh, 30, colleague)).toBe(5);
  });

  it('admits no more than the limit of 200 parallel requests over two processes', async () => {
    const processes = [openMetering(database, clock).metering, openMetering(elsewhere, clock).metering] as const;
    for (const rate of [1, 7, 64, 150]) {
      const who = newPayer();
      await limit(database, processes[0], who, 'workspace', { requests_per_second: rate });
      // By now both have received the signal.
      clock.advance(1_000);
      const counts = await Promise.all(processes.map((metering) => admitted(metering, 100, who)));
      expect(counts[0]! + counts[1]!).toBeLessThanOrEqual(rate);
      expect(counts[0]! + counts[1]!).toBeGreaterThanOrEqual(Math.floor(rate * 0.7));
    }
    for (const metering of processes) await metering.stop();
  });

  it('refunds what a request did not use and books the rest of what it used too much', async () => {
    const { metering } = openMetering(database, clock);
    await limit(database, metering, payer, 'key', { tokens_per_minute: 6_000 });
    const first = await metering.reserve(payer, { ...chat, estimatedTokens: 5_900 });
    await refusal(metering, payer, { ...chat, estimatedTokens: 1_000 });
    metering.settle(first, 900);
    metering.settle(first, 0);
    const second = await metering.reserve(payer, { ...chat, estimatedTokens: 5_000 });
    metering.settle(second, 11_000);
    const { headers } = await refusal(metering);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(60);
    expect(headers['x-ratelimit-remaining-tokens-minute']).toBe('0');
    clock.advance(Number(headers['retry-after']) * 1000);
    expect(await admitted(metering, 1)).toBe(1);
  });

  it('charges tokens that were not estimated', async () => {
    const { metering } = openMetering(database, clock);
    await limit(database, metering, payer, 'key', { tokens_per_minute: 60 });
    metering.settle(await metering.reserve(payer, { ...chat, estimatedTokens: 0 }), 120);
    expect(Number((await refusal(metering)).headers['retry-after'])).toBeGreaterThan(60);
  });

  it('a part of a request counts its tokens, once they are known, and is no request of its own', async () => {
    const { metering } = openMetering(database, clock);
    await limit(database, metering, payer, 'key', { requests_per_second: 1, tokens_per_minute: 100 });
    const whole = await metering.reserve(payer, chat);
    const part = await metering.reserve(payer, { ...chat, isPart: true });
    expect(part.headers).toEqual({});
    metering.settle(whole, 0);
    metering.settle(part, 130);
    clock.advance(1_000);
    expect(Number((await refusal(metering)).headers['retry-after'])).toBeGreaterThan(60);
  });

  it('a part of a request is refused when the budget is spent', async () => {
    const { metering } = openMetering(database, clock);
    await limit(database, metering, payer, 'key', { monthly_budget_micros: 0 });
    await expect(async () => metering.reserve(payer, { ...chat, isPart: true })).rejects.toMatchObject({ status: 429 });
  });

  it('sees a limit that another process set: within a second by the clock, sooner by the signal', async () => {
    const here = openMetering(database, clock).metering;
    const there = openMetering(elsewhere, clock).metering;
    await there.start();
    expect(there.reserve(payer, chat)).not.toBeInstanceOf(Promise);
    await limit(database, here, payer, 'organization', { requests_per_second: 3 });
    clock.advance(1_000);
    expect(await admitted(there, 10)).toBe(3);
    await limit(database, here, payer, 'organization', { requests_per_second: null });
    await vi.waitFor(() => expect(there.reserve(payer, chat)).toMatchObject({ headers: {}, charges: [] }), 5_000);
    await there.stop();
  });

  it('uses the defaults for scopes without limits of their own', async () => {
    const { metering } = openMetering(database, clock, {
      defaults: { key: { requests_per_second: 2 }, workspace: { tokens_per_minute: 1_000 } },
    });
    expect(await admitted(metering, 9)).toBe(2);
    const scope = { kind: 'key', id: payer.key_id } as const;
    await limit(database, metering, payer, 'key', { requests_per_second: null });
    expect(await metering.getLimits(database.db, scope)).toEqual({
      requests_per_second: null,
      tokens_per_minute: null,
      monthly_budget_micros: null,
      storage_bytes: null,
    });
    expect(await admitted(metering, 9)).toBe(7);
  });

  it('refuses when the monthly budget is spent, until the next month', async () => {
    const here = openMetering(database, clock).metering;
    const there = openMetering(elsewhere, clock).metering;
    await limit(database, here, payer, 'workspace', { monthly_budget_micros: 1_000 });
    await here.reserve(payer, chat);
    here.record(usageOf(payer, { costMicros: 999 }));
    expect(await admitted(here, 1)).toBe(1);
    here.record(usageOf(payer, { costMicros: 1 }));
    const error = await refusal(here);
    expect(error).toMatchObject({ status: 429, type: 'rate_limited', wireCode: '1300' });
    expect(error.message).toContain(
      'The monthly budget of this workspace is spent. The next month begins on 2026-04-01',
    );
    expect(Number(error.headers['retry-after'])).toBe((Date.parse('2026-04-01') - clock.now()) / 1000);
    await here.flush();
    await refusal(there);
    expect(await admitted(there, 1, newPayer())).toBe(1);
    await limit(database, here, payer, 'workspace', { monthly_budget_micros: 1_001 });
    clock.advance(1_000);
    expect(await admitted(there, 1)).toBe(1);
    await limit(database, here, payer, 'workspace', { monthly_budget_micros: 1_000 });
    clock.advance((Number(error.headers['retry-after']) - 2) * 1000);
    await refusal(there);
    clock.advance(1_000);
    expect(await admitted(there, 1)).toBe(1);
    expect(await admitted(here, 1)).toBe(1);
  });

  it('lets a model without a price run on a spent budget', async () => {
    const prices = (model: string) => (model === 'free' ? { prompt: 0, completion: 0 } : { prompt: 1, completion: 1 });
    const { metering } = openMetering(database, clock, { prices });
    await limit(database, metering, payer, 'key', { monthly_budget_micros: 0 });
    await refusal(metering);
    expect(await admitted(metering, 1, payer, { ...chat, model: 'free' })).toBe(1);
  });

  it('refuses with 503 when the limits cannot be read', async () => {
    const gone = await test.open();
    const { metering } = openMetering(gone, clock);
    await metering.start();
    expect(metering.reserve(payer, chat)).not.toBeInstanceOf(Promise);
    await metering.stop();
    await gone.close();
    clock.advance(1_000);
    expect(await refusal(metering)).toMatchObject({ status: 503 });
  });

  it('records a change of limits in the audit log, with what it was before', async () => {
    const { metering, audit } = openMetering(database, clock);
    await limit(database, metering, payer, 'organization', { monthly_budget_micros: 5_000_000 });
    await limit(database, metering, payer, 'workspace', { monthly_budget_micros: 7, requests_per_second: 2 });
    await limit(database, metering, payer, 'workspace', { requests_per_second: 3 });
    await limit(database, metering, payer, 'workspace', { requests_per_second: 3 });
    await limit(database, metering, payer, 'key', { monthly_budget_micros: 9 });
    const entries = await audit.list(database.db, payer.organization_id, { sort: 'ascending' });
    expect(entries.map(({ event_type, event_metadata }) => [event_type, event_metadata])).toEqual([
      [
        'billing.monthly_limit.updated',
        { monthly_budget_micros: '5000000', previous_monthly_budget_micros: 'unlimited' },
      ],
      [
        'billing.workspace_monthly_limit.updated',
        { monthly_budget_micros: '7', previous_monthly_budget_micros: 'unlimited' },
      ],
      ['rate_limit.rule.create', { requests_per_second: '2', previous_requests_per_second: 'unlimited' }],
      ['rate_limit.rule.update', { requests_per_second: '3', previous_requests_per_second: '2' }],
      ['rate_limit.rule.create', { monthly_budget_micros: '9', previous_monthly_budget_micros: 'unlimited' }],
    ]);
    expect(entries[0]!.target_metadata).toEqual({ scope_kind: 'organization', scope_id: payer.organization_id });
  });

  it('uses the defaults again once the limits of a scope are cleared, and records it in the audit log', async () => {
    const { metering, audit } = openMetering(database, clock, { defaults: { workspace: { requests_per_second: 4 } } });
    const scope = { kind: 'workspace', id: payer.workspace_id } as const;
    expect(await clear(database, metering, payer, 'workspace')).toBe(false);
    const own = { requests_per_second: 2, tokens_per_minute: 900, monthly_budget_micros: 5, storage_bytes: null };
    await limit(database, metering, payer, 'workspace', own);
    expect(await metering.listOwnLimits(database.db)).toContainEqual({ ...scope, ...own });
    expect(await admitted(metering, 9)).toBe(2);
    expect(await clear(database, metering, payer, 'workspace')).toBe(true);
    expect((await metering.listOwnLimits(database.db)).map(({ id }) => id)).not.toContain(payer.workspace_id);
    expect(await metering.getLimits(database.db, scope)).toMatchObject({
      requests_per_second: 4,
      tokens_per_minute: null,
    });
    clock.advance(1_000);
    expect(await admitted(metering, 9)).toBe(4);
    await limit(database, metering, payer, 'workspace', {});
    await clear(database, metering, payer, 'workspace');
    const entries = await audit.list(database.db, payer.organization_id, { sort: 'ascending' });
    expect(entries.slice(2).map(({ event_type, event_metadata }) => [event_type, event_metadata])).toEqual([
      [
        'billing.workspace_monthly_limit.updated',
        { monthly_budget_micros: 'unlimited', previous_monthly_budget_micros: '5' },
      ],
      [
        'rate_limit.rule.delete',
        {
          requests_per_second: '4',
          previous_requests_per_second: '2',
          tokens_per_minute: 'unlimited',
          previous_tokens_per_minute: '900',
        },
      ],
      ['rate_limit.rule.delete', {}],
    ]);
  });

  it.each([{ requests_per_second: 0 }, { tokens_per_minute: 1.5 }, { monthly_budget_micros: -1 }])(
    'refuses a limit that makes no sense: %o',
    async (limits) => {
      const { metering } = openMetering(database, clock);
      await expect(limit(database, metering, payer, 'key', limits)).rejects.toMatchObject({ status: 400 });
    },
  );

  it('deletes buckets that were idle for a day', async () => {
    const { metering } = openMetering(database, clock);
    await limit(database, metering, payer, 'key', { requests_per_second: 2 });
    await metering.reserve(payer, chat);
    const rows = database.db.selectFrom('rate_buckets').selectAll().where('id', 'like', `key:${payer.key_id}:%`);
    expect(await rows.execute()).toHaveLength(1);
    clock.advance(86_400_001);
    await metering.prune();
    expect(await rows.execute()).toHaveLength(0);
  });
});

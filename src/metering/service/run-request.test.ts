import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import type { Database } from '../../kit/db/index.ts';
import { type Scope, ValidationFailed } from '../../kit/http/index.ts';
import { createTestClock, limit, newPayer, openMetering, type TestClock } from '../metering-for-tests.ts';
import { createMeter, type UsageRecord } from './meter.ts';
import type { Metering } from './metering-service.ts';
import { type Accounts, asPrivate, type Call, type RunRequest, startRun } from './run-request.ts';

const chat: RunRequest = { kind: 'chat', model: 'small', asked: 'small-latest', estimatedTokens: 100 };
const used = { promptTokens: 10, completionTokens: 5, cachedTokens: 2, reasoningTokens: 1 };
let database: Database;
let clock: TestClock;
let metering: Metering;
let accounts: Accounts;
let call: Call;
let client: AbortController;
let headers: Record<string, string>;
let recorded: [UsageRecord, number][];
let refused: UsageRecord[];
let notified: UsageRecord[];

beforeAll(async () => {
  database = await sqliteForTests().open();
});
beforeEach(() => {
  clock = createTestClock();
  [headers, recorded, refused, notified, client] = [{}, [], [], [], new AbortController()];
  ({ metering } = openMetering(database, clock, { prices: () => ({ prompt: 1, completion: 2 }) }));
  const watch = {
    keepsContent: () => true,
    refused: (record: UsageRecord) => void refused.push(record),
    record: (record: UsageRecord, costMicros: number) => void recorded.push([record, costMicros]),
  };
  accounts = { now: clock.now, meter: createMeter(metering, watch), onUsage: (record) => void notified.push(record) };
  call = {
    scope: newPayer() as Scope,
    requestId: 'a-request',
    signal: client.signal,
    setHeader: (name, value) => void Object.assign(headers, { [name]: value }),
    trace: { conversationId: 'a-conversation' },
  };
});
afterEach(() => metering.flush());

it('a request is recorded once, with what all attempts at it used, what it cost and when its answer began', async () => {
  const run = await startRun(accounts, call, chat);
  run.add(used);
  run.add({ promptTokens: 1, completionTokens: 1 });
  clock.advance(30);
  run.answers();
  clock.advance(10);
  run.answers();
  Object.assign(run, { responseId: 'an-answer', verdict: 'clean' });
  run.settle(200);
  run.settle(500);
  const record = {
    ...{ requestId: 'a-request', kind: 'chat', model: 'small', asked: 'small-latest', status: 200 },
    ...{ latencyMs: 40, firstTokenMs: 30, errorCode: undefined, trace: { conversationId: 'a-conversation' } },
    ...{ responseId: 'an-answer', verdict: 'clean', startedAt: clock.now() - 40, scope: call.scope },
    usage: { promptTokens: 11, completionTokens: 6, cachedTokens: 2, reasoningTokens: 1 },
  };
  expect(recorded).toEqual([[expect.objectContaining(record), 11 + 6 * 2]]);
  expect(notified).toEqual([recorded[0]?.[0]]);
  expect(refused).toEqual([]);
});

it('a request without an attempt used nothing, and is known by its model where it asked for no other name', async () => {
  const { asked: _, ...plain } = chat;
  (await startRun(accounts, call, plain)).settle(200);
  expect(recorded).toMatchObject([[{ asked: 'small', usage: { promptTokens: 0, completionTokens: 0 } }, 0]]);
});

it('a request ends with the status and the code of its error, 422 for a wrong body and 500 for any other one', async () => {
  const failures = [
    [new ValidationFailed([]), 422, undefined],
    [new Error('broken'), 500, undefined],
  ] as const;
  for (const [error] of failures) expect((await startRun(accounts, call, chat)).fail(error)).toBe(error);
  expect(recorded.map(([{ status, errorCode }]) => [status, errorCode])).toEqual(
    failures.map(([, status, code]) => [status, code]),
  );
});

it('a request whose client left is 499, whatever failed then', async () => {
  const run = await startRun(accounts, call, chat);
  client.abort();
  expect(run.fail(new Error('aborted'))).toMatchObject({ status: 499 });
  expect(recorded).toMatchObject([[{ status: 499, errorCode: expect.any(String) }, 0]]);
});

it('a request that a limit refuses is shown with its error, and is not on the ledger', async () => {
  await limit(database, metering, call.scope, 'key', { requests_per_second: 1 });
  (await startRun(accounts, call, chat)).settle(200);
  expect(headers).toMatchObject({ 'x-ratelimit-limit-req-minute': '60' });
  const { asked: _, ...plain } = chat;
  for (const request of [chat, plain])
    await expect(async () => startRun(accounts, call, request)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
  expect(recorded).toHaveLength(1);
  expect(notified).toHaveLength(1);
  expect(refused).toMatchObject([
    { status: 429, errorCode: 'rate_limit_exceeded', model: 'small', asked: 'small-latest', latencyMs: 0 },
    { status: 429, errorCode: 'rate_limit_exceeded', model: 'small', asked: 'small' },
  ]);
});

it('a key for some models may name these by any of their names, and what a request brings with it is not its choice', async () => {
  const allow = (allowed_models: string[]) => ({ ...call, scope: { ...call.scope, allowed_models } as Scope });
  for (const models of [['small'], ['small-latest'], ['other', 'small']])
    (await startRun(accounts, allow(models), chat)).settle(200);
  const { asked, ...plain } = chat;
  for (const [request, name] of [
    [chat, asked],
    [plain, plain.model],
  ] as const)
    await expect(async () => startRun(accounts, allow(['other']), request)).rejects.toMatchObject({
      code: 'model_not_allowed',
      message: expect.stringContaining(`model ${name}.`),
    });
  await expect(async () => startRun(accounts, allow([]), chat)).rejects.toMatchObject({ code: 'model_not_allowed' });
  const brought = [{ isPart: true }, { kind: 'moderation' }, { kind: 'reranking' }] as const;
  for (const change of brought) (await startRun(accounts, allow([]), { ...chat, ...change })).settle(200);
});

it('what is said is kept where the workspace keeps it, unless the client said otherwise', async () => {
  expect((await startRun(accounts, call, chat)).content).toEqual({ system: [], tools: [], input: [], output: [] });
  expect((await startRun(accounts, asPrivate(call), chat)).content).toBeUndefined();
  const meter = createMeter(metering, { keepsContent: () => false, record: () => undefined });
  expect((await startRun({ ...accounts, meter }, call, chat)).content).toBeUndefined();
  expect((await startRun({ ...accounts, meter: createMeter(metering) }, call, chat)).content).toBeUndefined();
  expect((await startRun({ now: clock.now }, call, chat)).content).toBeUndefined();
});

it('a private request is the same one in every other way', async () => {
  await limit(database, metering, call.scope, 'key', { requests_per_second: 5 });
  (await startRun(accounts, asPrivate(call), chat)).settle(200);
  expect(headers).toMatchObject({ 'x-ratelimit-limit-req-minute': '300' });
  const { scope, requestId, trace } = call;
  expect(recorded).toMatchObject([[{ scope, requestId, trace, content: undefined }, 0]]);
});

it('a further attempt is admitted while the budget has room for what the others used', async () => {
  await limit(database, metering, call.scope, 'key', { monthly_budget_micros: 20 });
  const run = await startRun(accounts, call, { ...chat, heldTokens: 1 });
  run.add({ promptTokens: 19, completionTokens: 0 });
  expect(await run.admit()).toBeUndefined();
  run.add({ promptTokens: 1, completionTokens: 0 });
  await expect(async () => run.admit()).rejects.toMatchObject({ code: 'budget_spent' });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { createOperatorMetering } from '../../operator/limits.ts';
import { openExistingPlatform } from '../../operator/open-existing-platform.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';
import { parseDays } from './run.ts';

let environment: Environment;
let keyId: string;
const today = new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  ({ environment } = await preparePlatform(sqliteForTests()));
  const config = loadConfig(environment);
  const platform = await openExistingPlatform(config);
  const [key] = await platform.tenants.keys.list();
  if (!key?.workspace_id || !key.user_id) throw new Error('the first start made no key');
  keyId = key.id;
  const metering = createOperatorMetering(platform, config);
  const { organization_id, workspace_id, user_id } = key;
  for (const [model, costMicros] of [
    ['small', 250_000],
    ['small', 250_000],
    ['large', 1_000_001],
  ] as const)
    metering.record({
      scope: { organization_id, workspace_id, user_id, key_id: key.id },
      model,
      kind: 'chat',
      promptTokens: 10,
      completionTokens: 5,
      cachedTokens: 1,
      costMicros,
      status: 200,
      latencyMs: 1,
      requestId: 'r',
    });
  await metering.stop();
  await platform.close();
});

describe('usage', () => {
  it('shows this month by model with a total, unless told otherwise', async () => {
    const { code, stdout, stderr } = await run(['usage'], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      [`Default, ${today.slice(0, 7)}-01 to ${today} (UTC)`],
      [''],
      ['MODEL', 'REQUESTS', 'PROMPT', 'COMPLETION', 'CACHED', 'COST'],
      ['large', '1', '10', '5', '1', '1.000001'],
      ['small', '2', '20', '10', '2', '0.50'],
      ['total', '3', '30', '15', '3', '1.500001'],
      [''],
    ]);
  });

  it('tells days, months, workspaces and keys apart, by name and id', async () => {
    const { stdout } = await run(['usage', '--by', 'month,workspace,key'], environment);
    expect(stdout).toMatch(new RegExp(`^${today.slice(0, 7)} +Default \\(\\S+\\) +First key \\(${keyId}\\) +3 `, 'm'));
    const { data } = await runJson(['usage', '--by', 'day,model', '--model', 'small'], environment);
    const small = { requests: 2, prompt_tokens: 20, completion_tokens: 10, cached_tokens: 2, cost: 0.5 };
    expect(data).toMatchObject({ rows: [{ day: today, model: 'small', ...small }], total: small });
  });

  it('can be narrowed to a key, a workspace and days', async () => {
    const total = async (...args: string[]) => (await runJson(['usage', ...args], environment)).data.total.requests;
    expect(await total('--key', 'First key', '--workspace', 'Default')).toBe(3);
    expect(await total('--month', '2020-02')).toBe(0);
  });

  it.each([
    [
      ['--by', 'colour'],
      2,
      "'colour' is not a valid value of --by. Choose from: day, month, model, kind, workspace, key",
    ],
    [['--key', 'nobody'], 1, "There is no key 'nobody'."],
  ])('%j fails and says what to write instead', async (args, code, message) => {
    expect(await run(['usage', ...args], environment)).toMatchObject({
      code,
      stderr: expect.stringContaining(message),
    });
  });
});

it('a month has all its days, and a range without an end goes on to today', () => {
  const now = Date.parse('2028-03-05T23:00:00Z');
  const days = (given: { month?: string; from?: string; to?: string }) =>
    parseDays({ month: undefined, from: undefined, to: undefined, ...given }, now);
  expect(days({ month: '2028-02' })).toEqual({ from: '2028-02-01', to: '2028-02-29' });
  expect(days({ from: '2028-01-31' })).toEqual({ from: '2028-01-31', to: '2028-03-05' });
  expect(days({ to: '2028-01-31' })).toEqual({ from: '2028-01-01', to: '2028-01-31' });
  expect(days({})).toEqual({ from: '2028-03-01', to: '2028-03-05' });
  expect(() => days({ from: '2028-03-06' })).toThrow('is after');
  expect(() => days({ month: '2027-13' })).toThrow("--month must be a month such as 2027-01, not '2027-13'.");
  expect(() => days({ from: '2027-02-30' })).toThrow("--from must be a day such as 2027-01-31, not '2027-02-30'.");
  expect(() => days({ month: '2027-01', to: '2027-01-02' })).toThrow('Give either --month or --from and --to.');
});

import { beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { openExistingPlatform } from '../../operator/open-existing-platform.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';
import { formatAmount } from '../shell/format-table.ts';
import { parseBudget, parseLimit } from './run.ts';

type Row = Record<string, unknown>;
const none = { requests_per_second: null, tokens_per_minute: null, monthly_budget: null, storage_bytes: null };

async function auditOf(environment: Environment) {
  const platform = await openExistingPlatform(loadConfig(environment));
  const [organization] = await platform.tenants.listOrganizations();
  const entries = await platform.audit.list(platform.database.db, organization?.id ?? '', { sort: 'ascending' });
  await platform.close();
  return entries.slice(4).map(({ event_type, actor_metadata }) => [event_type, actor_metadata]);
}

let environment: Environment;
beforeAll(async () => {
  ({ environment } = await preparePlatform());
});

it('limits are shown with those around them, set, kept where not named, cleared, and told to the audit log', async () => {
  const shown = await runJson(['limits', 'show', '--key', 'First key'], environment);
  expect(shown.code).toBe(0);
  expect(shown.data.limits).toEqual([
    { scope: 'key', name: 'First key', id: expect.any(String), ...none, spent: 0, stored_bytes: null, from: 'file' },
    { scope: 'workspace', name: 'Default', id: expect.any(String), ...none, spent: 0, stored_bytes: 0, from: 'file' },
    {
      scope: 'organization',
      name: 'Default',
      id: expect.any(String),
      ...none,
      spent: 0,
      stored_bytes: 0,
      from: 'file',
    },
  ]);
  const [key, workspace] = shown.data.limits.map(({ id }: Row) => id);

  const set = ['limits', 'set', '--requests-per-second', '5', '--tokens-per-minute', '900', '--key', key];
  expect(await run(set, environment)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /First key .* 5 +900 +none +- +none +0\.00 +own\n[\s\S]*apply the change within a second\.\n$/,
    ),
  });
  const again = ['limits', 'set', '--key', 'First key', '--tokens-per-minute', 'none', '--monthly-budget', '0.000001'];
  const { data } = await runJson(again, environment);
  expect(data.limits[0]).toMatchObject({ requests_per_second: 5, tokens_per_minute: null, monthly_budget: 1e-6 });
  const budget = await run(['limits', 'set', '--workspace', workspace, '--monthly-budget', '12.5'], environment);
  expect(budget).toMatchObject({ code: 0, stderr: expect.stringContaining('note: no configured model has a price') });

  const storage = ['limits', 'set', '--workspace', workspace, '--storage-mib', '10'];
  expect(await run(storage, environment)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ 10\.0 MiB +0\.0 MiB /),
  });
  expect(await run(['limits', 'set', '--key', key, '--storage-mib', '10'], environment)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('give --workspace or --organization'),
  });

  const all = await runJson(['limits', 'show'], environment);
  expect(all.data.limits.map(({ scope, from }: Row) => [scope, from])).toEqual([
    ['workspace', 'own'],
    ['key', 'own'],
  ]);
  expect(all.data.defaults).toContainEqual({ scope: 'key', ...none });

  const cleared = await runJson(['limits', 'clear', '--key', 'First key'], environment);
  expect(cleared.data).toMatchObject({ cleared: true, limits: [{ ...none, from: 'file' }, { from: 'own' }, {}] });
  const twice = await run(['limits', 'clear', '--key', 'First key'], environment);
  expect(twice).toMatchObject({ code: 0, stdout: expect.stringContaining('No limits were set') });

  const operator = { name: 'operator' };
  expect(await auditOf(environment)).toEqual([
    ['rate_limit.rule.create', operator],
    ['rate_limit.rule.update', operator],
    ['billing.workspace_monthly_limit.updated', operator],
    ['rate_limit.rule.update', operator],
    ['rate_limit.rule.delete', operator],
  ]);
});

it.each([
  [['set', '--requests-per-second', '5'], 2, 'Choose the scope to set limits for: --key, --workspace or'],
  [['set', '--key', 'First key'], 2, 'Give a limit: --requests-per-second,'],
  [['set', '--key', 'k', '--workspace', 'w'], 2, 'Give either --key or --workspace'],
  [['set', '--key', 'First key', '--requests-per-second', '0'], 1, 'must be a whole number from 1, or null'],
  [['show', '--key', 'nobody'], 1, "There is no key 'nobody'. Choose one: First key ("],
  [['show', '--workspace', 'nowhere'], 1, "There is no workspace 'nowhere'. Choose one: Default ("],
])('limits %j fails and says what to write instead', async (args, code, message) => {
  expect(await run(['limits', ...args], environment)).toMatchObject({ code, stderr: expect.stringContaining(message) });
});

it('an amount is read to the millionth and printed as it is written', () => {
  expect(['50', '0.25', '0.000001', '999999999.999999', 'none'].map((text) => parseBudget('b', text))).toEqual([
    50_000_000,
    250_000,
    1,
    999_999_999_999_999,
    null,
  ]);
  for (const text of ['-1', '1e3', '0.0000001', '', 'lots'])
    expect(() => parseBudget('b', text)).toThrow('--b must be');
  for (const text of ['1.5', '-1', '', 'some'])
    expect(() => parseLimit('n', text)).toThrow("or none for no limit, not '");
  expect([0, 12.5, 0.000001, 100].map(formatAmount)).toEqual(['0.00', '12.50', '0.000001', '100.00']);
});

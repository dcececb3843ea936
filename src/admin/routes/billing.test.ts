import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../test/support/databases.ts';
import { startUpstream } from '../../../test/support/upstream.ts';
import { type AdminServer, addOrganization, startAdminServer } from '../admin-for-tests.ts';
import { resolveMonth } from '../service/billing.ts';

type Row = {
  value: number;
  timestamp: string;
  workspace_id: string;
  api_key_id: string;
  requests?: number;
  cost?: number;
};
type Usage = { completion: { models: Record<string, { input: Row[]; output?: Row[] }> } } & Record<string, unknown>;

onEachDatabase('the limits and usage of an organization', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  beforeAll(async () => {
    const upstream = await startUpstream();
    server = await startAdminServer(database, {
      file: {
        currency: 'USD',
        models: [{ id: 'small', engine: 'upstream', url: upstream.url, price: { prompt: 1000, completion: 2000 } }],
      },
    });
    other = await addOrganization(server, 'Elsewhere');
    const body = { model: 'small', messages: [{ role: 'user', content: 'Hello' }] };
    for (let i = 0; i < 2; i++) await call(server, '/v1/chat/completions', { body });
  });

  it('is reported by model, day, workspace and key, from the ledger [ADMIN-USAGE]', async () => {
    const { status, body } = await server.admin<Usage>('GET', '/usage');
    expect(status).toBe(200);
    const today = new Date().toISOString().slice(0, 10);
    const common = { timestamp: `${today}T00:00:00Z`, workspace_id: server.workspaceId, billing_metric: 'small' };
    expect(body.completion.models.small).toMatchObject({
      input: [{ ...common, billing_group: 'input', value: 14, requests: 2, cost: 0.026 }],
      output: [{ ...common, billing_group: 'output', value: 6 }],
    });
    expect(body).toMatchObject({ currency: 'USD', currency_symbol: '$', next_month: null, vibe_usage: 0 });
    expect(body.prices).toContainEqual(
      expect.objectContaining({ billing_metric: 'small', billing_group: 'output', price: 2000 }),
    );
  });

  it('is narrowed by workspace, month and zone, and never another organization’s', async () => {
    const models = async (query: string, key?: string) =>
      Object.keys((await server.admin<Usage>('GET', `/usage${query}`, undefined, key)).body.completion.models);
    expect(await models(`?workspace_id=${server.workspaceId}`)).toEqual(['small']);
    expect(await models('?month=1&year=2020')).toEqual([]);
    expect(await models('?api_zone=global')).toEqual(['small']);
    expect(await models('?api_zone=eu')).toEqual([]);
    expect(await models('', other.adminKey)).toEqual([]);
    expect((await server.admin('GET', `/usage?workspace_id=${other.workspaceId}`)).status).toBe(404);
    for (const query of ['month=13', 'year=20', 'workspace_id=x', 'api_zone=mars', 'x=1'])
      expect([query, (await server.admin('GET', `/usage?${query}`)).status]).toEqual([query, 422]);
  });

  it('has a spend limit that is set, returned and enforced [ADMIN-SPEND-LIMIT]', async () => {
    type Limits = { limits: { completion: Record<string, unknown>; currency: string } };
    const before = await server.admin<Limits>('GET', '/spend-limit');
    expect(before.body.limits).toMatchObject({
      completion: {
        no_monthly_limit: true,
        monthly_limit_reached: false,
        usage: 0.026,
        total_usage: 0.026,
        usage_limit: null,
      },
      last_payment_failure: false,
      currency: 'USD',
    });
    const set = await server.admin<Limits>('POST', '/spend-limit', { amount: 0 });
    expect(set.body.limits.completion).toMatchObject({
      no_monthly_limit: false,
      monthly_limit_reached: true,
      usage_limit: 0,
    });
    const body = { model: 'small', messages: [{ role: 'user', content: 'Hello' }] };
    expect((await call(server, '/v1/chat/completions', { body })).status).toBe(429);
    const lifted = await server.admin<Limits>('POST', '/spend-limit', { amount: 7, no_monthly_limit: true });
    expect(lifted.body.limits.completion).toMatchObject({ no_monthly_limit: true, usage_limit: null });
    expect((await call(server, '/v1/chat/completions', { body })).status).toBe(200);
    for (const wrong of [{}, { amount: -1 }, { amount: 1.5 }, { amount: 1, x: 1 }])
      expect((await server.admin('POST', '/spend-limit', wrong)).status).toBe(422);
    const theirs = await server.admin<Limits>('GET', '/spend-limit', undefined, other.adminKey);
    expect(theirs.body.limits.completion).toMatchObject({ no_monthly_limit: true, usage: 0 });
  });

  it.runIf(isSqliteOrFull(database))('has rate limits, where the largest safe number is none', async () => {
    const none = Number.MAX_SAFE_INTEGER;
    expect((await server.admin('GET', '/rate-limit')).body).toEqual({
      requests_per_second: none,
      tokens_limits_by_model: { small: { tokens_per_minute: none, tokens_per_month: none } },
    });
    await server.platform.database.db
      .insertInto('limits')
      .values({
        scope_kind: 'organization',
        scope_id: other.id,
        requests_per_second: 5,
        tokens_per_minute: 700,
        monthly_budget_micros: null,
        updated_at: '2026-01-01T00:00:00.000000Z',
      })
      .execute();
    expect((await server.admin('GET', '/rate-limit', undefined, other.adminKey)).body).toMatchObject({
      requests_per_second: 5,
      tokens_limits_by_model: { small: { tokens_per_minute: 700 } },
    });
    expect((await server.admin('GET', '/rate-limit?x=1')).status).toBe(422);
  });
});

describe('a month', () => {
  const now = Date.parse('2026-03-15T12:00:00Z');
  it.each([
    [undefined, undefined, { first: '2026-03-01', last: '2026-03-31', previous: '2026-02', next: null }],
    ['2', null, { first: '2026-02-01', last: '2026-02-28', previous: '2026-01', next: '2026-03' }],
    ['01', '2024', { first: '2024-01-01', last: '2024-01-31', previous: '2023-12', next: '2024-02' }],
    ['12', '2025', { first: '2025-12-01', last: '2025-12-31', previous: '2025-11', next: '2026-01' }],
  ])('%s of %s has its days and neighbours', (month, year, expected) => {
    expect(resolveMonth(now, month, year)).toEqual(expected);
  });
});

import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { createSignal, type Database } from '../../kit/db/index.ts';
import { createTenantService, type TenantService } from '../../tenants/index.ts';
import { createTestClock, limit, newPayer, openMetering, usageOf } from '../metering-for-tests.ts';
import type { Payer } from '../schema.ts';
import { describeLimits, listLimitScopes, type NamedScope } from './describe-limits.ts';
import type { Metering } from './metering-service.ts';

let database: Database;
let metering: Metering;
let tenants: TenantService;
let payer: Payer;
let scopes: NamedScope[];

beforeAll(async () => {
  database = await sqliteForTests().open();
  const clock = createTestClock();
  const opened = openMetering(database, clock, { defaults: { key: { requests_per_second: 7 } } });
  metering = opened.metering;
  const keysSignal = createSignal(database, 'keys', clock.now);
  tenants = createTenantService({ box: boxForTests, database, audit: opened.audit, keysSignal, now: clock.now });
  payer = newPayer();
  const { organization_id, workspace_id, key_id } = payer;
  const place = { organization_id, workspace_id };
  scopes = [
    { kind: 'organization', id: organization_id, name: 'Acme', organization_id, workspace_id: null },
    { kind: 'workspace', id: workspace_id, name: 'Lab', ...place },
    { kind: 'key', id: key_id, name: 'robot', ...place },
  ];
  await limit(database, metering, payer, 'workspace', { monthly_budget_micros: 2_500_000, storage_bytes: 1024 });
  metering.record(usageOf(payer, { costMicros: 500_000 }));
  await metering.flush();
});

const none = { requests_per_second: null, tokens_per_minute: null, monthly_budget: null, storage_bytes: null };

it('the limits of a scope are its own or those of the file, beside what it spent, in units of the currency', async () => {
  expect(await describeLimits(metering, database.db, scopes)).toEqual([
    {
      scope: 'organization',
      id: payer.organization_id,
      name: 'Acme',
      ...none,
      spent: 0.5,
      stored_bytes: null,
      from: 'file',
    },
    {
      ...{ scope: 'workspace', id: payer.workspace_id, name: 'Lab', ...none, monthly_budget: 2.5, spent: 0.5 },
      ...{ storage_bytes: 1024, stored_bytes: 0, from: 'own' },
    },
    {
      ...{ scope: 'key', id: payer.key_id, name: 'robot', ...none, requests_per_second: 7, spent: 0.5 },
      ...{ stored_bytes: null, from: 'file' },
    },
  ]);
});

it('a scope without limits of its own is left out where asked for, and stored bytes are measured where asked for', async () => {
  const listed = await describeLimits(metering, database.db, scopes, { ownOnly: ['key', 'workspace'] });
  expect(listed.map(({ scope }) => scope)).toEqual(['organization', 'workspace']);
  const measured = await describeLimits(metering, database.db, scopes, { measures: true });
  expect(measured.map(({ stored_bytes }) => stored_bytes)).toEqual([0, 0, null]);
});

it('limits are listed for the organization, its workspaces and its keys', async () => {
  const acme = await tenants.createOrganization({ name: 'Acme', plan: 'team', ownerEmail: 'ann@acme.test' });
  const [workspace] = await tenants.listWorkspaces(acme.id);
  const named = await tenants.keys.create({ kind: 'standard', organization: acme.id, name: 'robot' });
  const unnamed = await tenants.keys.create({ kind: 'standard', organization: acme.id });
  const place = { organization_id: acme.id, workspace_id: workspace?.id };
  expect(await listLimitScopes(tenants, acme)).toEqual([
    { kind: 'organization', id: acme.id, name: 'Acme', organization_id: acme.id, workspace_id: null },
    { kind: 'workspace', id: workspace?.id, name: workspace?.name, ...place },
    { kind: 'key', id: named.id, name: 'robot', ...place },
    { kind: 'key', id: unnamed.id, name: `…${unnamed.value.slice(-4)}`, ...place },
  ]);
  const some = await listLimitScopes(tenants, acme, ({ name }) => name === 'robot');
  expect(some.map(({ name }) => name)).toEqual(['Acme', workspace?.name, 'robot']);
});

import { beforeAll, beforeEach, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { createAuditService } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { createSignal, type Database } from '../../kit/db/index.ts';
import type { WorkspaceRole } from '../schema.ts';
import { createTenantService, type TenantService } from '../service/tenant-service.ts';
import { insertUser } from '../store/accounts.ts';
import { updateOrganizationRoles, updateWorkspaceRoles } from '../store/members.ts';
import { chooseWorkspace, listUserWorkspaces } from './choose-workspace.ts';
import { readUserScope } from './read-scope.ts';

let database: Database;
let tenants: TenantService;
let organizationId: string;
let workspaceId: string;
let userId: string;

beforeAll(async () => {
  database = await sqliteForTests().open();
  const audit = createAuditService({ database, now: Date.now });
  const keysSignal = createSignal(database, 'keys', Date.now);
  tenants = createTenantService({ box: boxForTests, database, audit, keysSignal, now: Date.now });
});
beforeEach(async () => {
  ({ organizationId, workspaceId } = await makeOrganization());
  userId = uuid();
  const created_at = isoMicros();
  await database.transaction(async (tx) => {
    await insertUser(tx, { id: userId, email: `${userId}@x.test`, first_name: 'Bo', last_name: null, created_at });
    await updateOrganizationRoles(tx, organizationId, { id: userId, created_at }, ['member']);
  });
});

async function makeOrganization() {
  const { id } = await tenants.createOrganization({ name: uuid(), plan: 'team', ownerEmail: `${uuid()}@x.test` });
  return { organizationId: id, workspaceId: (await tenants.listWorkspaces(id))[0]?.id ?? '' };
}
const setRoles = (roles: WorkspaceRole[]) =>
  database.transaction((tx) => updateWorkspaceRoles(tx, workspaceId, userId, roles, isoMicros()));
const makeAdmin = (of = organizationId) =>
  database.transaction((tx) =>
    updateOrganizationRoles(tx, of, { id: userId, created_at: isoMicros() }, ['organization_admin']),
  );
const archive = () =>
  database.db.updateTable('workspaces').set({ archived_at: isoMicros() }).where('id', '=', workspaceId).execute();
const choose = (requested = '', boundTo?: string) => chooseWorkspace(database.db, userId, requested, boundTo);

it('a member enters a workspace by a role in it, and is in none before', async () => {
  const none = { organization: { id: organizationId }, workspace: undefined, roles: { workspace: [] } };
  expect(await choose()).toMatchObject({ ...none, isDenied: false });
  expect(await choose(workspaceId)).toMatchObject({ ...none, isDenied: true });
  await setRoles(['dev']);
  const entered = { workspace: { id: workspaceId }, roles: { workspace: ['dev'] }, isDenied: false };
  expect(await choose()).toMatchObject(entered);
  expect(await choose(workspaceId)).toMatchObject(entered);
});

it('an admin enters every workspace of the organization but archived ones, without a role in it', async () => {
  await makeAdmin();
  expect(await choose(workspaceId)).toMatchObject({ workspace: { id: workspaceId }, isDenied: false });
  await archive();
  expect(await choose(workspaceId)).toMatchObject({ workspace: undefined, isDenied: true });
  expect(await listUserWorkspaces(database.db, userId)).toEqual([]);
});

it('a workspace of another organization is the same as a missing one', async () => {
  await setRoles(['dev']);
  const { workspaceId: theirs } = await makeOrganization();
  expect(await choose(theirs)).toEqual(await choose(uuid()));
  expect(await choose(theirs)).toMatchObject({ workspace: undefined, isDenied: true });
});

it('a session that is bound to an organization sees no other one of its user', async () => {
  const other = await makeOrganization();
  await makeAdmin(other.organizationId);
  await setRoles(['dev']);
  expect(await choose(other.workspaceId)).toMatchObject({ workspace: { id: other.workspaceId } });
  expect(await choose(other.workspaceId, organizationId)).toMatchObject({ workspace: undefined, isDenied: true });
  expect(await choose('', organizationId)).toMatchObject({ workspace: { id: workspaceId } });
  const listed = await listUserWorkspaces(database.db, userId, organizationId);
  expect(listed.map(({ id }) => id)).toEqual([workspaceId]);
  expect(await listUserWorkspaces(database.db, userId)).toHaveLength(2);
  expect(await listUserWorkspaces(database.db, userId, undefined, 1)).toHaveLength(1);
  expect(await choose('', uuid())).toBeUndefined();
});

it('of several roles the one with the most permissions is shown', async () => {
  const shown: [WorkspaceRole[], WorkspaceRole][] = [
    [['billing', 'dev'], 'dev'],
    [['workspace_contributor', 'workflow_executor'], 'workspace_contributor'],
    [['workspace_admin', 'workspace_contributor'], 'workspace_admin'],
  ];
  for (const [roles, role] of shown) {
    await setRoles(roles);
    expect(await listUserWorkspaces(database.db, userId)).toMatchObject([{ id: workspaceId, role }]);
  }
  await makeAdmin();
  expect(await listUserWorkspaces(database.db, userId)).toMatchObject([{ role: 'workspace_admin' }]);
});

it('later work of a user has the roles of the user now, in that workspace, or says why it has none', async () => {
  const read = (user = userId, workspace = workspaceId) => readUserScope(database.db, user, workspace, 'a-session');
  expect(await read()).toBe('its user is no longer a member of the workspace');
  await setRoles(['billing']);
  expect(await read()).toMatchObject({
    ...{ kind: 'standard', session_id: 'a-session', key_id: userId, user_id: userId },
    ...{ organization_id: organizationId, workspace_id: workspaceId, plan: 'team' },
    principal: `${workspaceId}:${userId}`,
    permissions: new Set(['identity:read', 'models:read', 'mcp:use']),
    identity: {
      id: userId,
      email: `${userId}@x.test`,
      workspace: { id: workspaceId },
      organization: { id: organizationId },
    },
  });
  await setRoles([]);
  await makeAdmin();
  expect(await read()).toMatchObject({ permissions: expect.any(Set) });
  expect(await read(uuid())).toBe('its user is no longer a member of the organization');
  expect(await read(userId, uuid())).toBe('its workspace was deleted');
  await archive();
  expect(await read()).toBe('its workspace is archived');
});

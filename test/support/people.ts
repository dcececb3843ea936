import { randomUUID } from 'node:crypto';
import type { WorkspaceRole } from '../../src/tenants/permissions.ts';
import type { TestServer } from './server.ts';

/** A key of another user in the first workspace of a test server. */
export async function keyOfColleague(server: TestServer, role: WorkspaceRole = 'user'): Promise<string> {
  const { tenants, database } = server.platform;
  const workspace = await tenants.chooseWorkspace({ organization: undefined, workspace: undefined });
  const created_at = new Date().toISOString();
  const user = { id: randomUUID(), email: `${role}-${randomUUID()}@localhost` };
  await database.transaction(async (tx) => {
    await tx
      .insertInto('users')
      .values({ ...user, first_name: null, last_name: null, created_at })
      .execute();
    const organization_id = workspace.organization_id;
    await tx
      .insertInto('organization_members')
      .values({ organization_id, user_id: user.id, role: 'member', created_at })
      .execute();
    await tx
      .insertInto('workspace_members')
      .values({ workspace_id: workspace.id, user_id: user.id, role, created_at })
      .execute();
  });
  return (await tenants.keys.create({ kind: 'standard', workspace: workspace.id, user: user.email })).value;
}

/** A key of a user in an organization of its own. Call it after `keyOfColleague`, which needs the only one. */
export async function keyOfStranger({ platform: { tenants } }: TestServer): Promise<string> {
  const name = `Elsewhere ${randomUUID()}`;
  await tenants.createOrganization({ name, plan: 'enterprise', ownerEmail: `${randomUUID()}@elsewhere` });
  return (await tenants.keys.create({ kind: 'standard', organization: name })).value;
}

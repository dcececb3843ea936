import { randomUUID } from 'node:crypto';
import type { TestServer } from './server.ts';

/** The key of another user in the workspace of the server's own key. */
export async function addColleague({ platform }: TestServer, role = 'dev'): Promise<string> {
  const { db } = platform.database;
  const created_at = new Date().toISOString();
  const organization = await db.selectFrom('organizations').selectAll().orderBy('created_at').executeTakeFirstOrThrow();
  const workspace = await db
    .selectFrom('workspaces')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow();
  const id = randomUUID();
  const email = `${id}@example.test`;
  await db.insertInto('users').values({ id, email, first_name: null, last_name: null, created_at }).execute();
  await db
    .insertInto('organization_members')
    .values({ organization_id: organization.id, user_id: id, role: 'member', created_at })
    .execute();
  await db
    .insertInto('workspace_members')
    .values({ workspace_id: workspace.id, user_id: id, role: role as 'dev', created_at })
    .execute();
  const key = await platform.tenants.keys.create({ kind: 'standard', organization: organization.id, user: email });
  return key.value;
}

/** The key of a user in a workspace of another organization. */
export async function addStranger({ platform }: TestServer): Promise<string> {
  const name = `Elsewhere ${randomUUID()}`;
  const ownerEmail = `${randomUUID()}@elsewhere.test`;
  const organization = await platform.tenants.createOrganization({ name, plan: 'team', ownerEmail });
  const key = await platform.tenants.keys.create({ kind: 'standard', organization: organization.id, user: ownerEmail });
  return key.value;
}

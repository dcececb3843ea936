import { call } from '../../test/support/call.ts';
import type { TestDatabase } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

export type AdminServer = TestServer & {
  adminKey: string;
  organizationId: string;
  workspaceId: string;
  ownerId: string;
  /** One call with the organization's admin key. */
  admin<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<AdminResponse<T>>;
};
export type AdminResponse<T> = { status: number; body: T; text: string; headers: Headers };

/** The whole server with an admin key and the ids of the first tenant. */
export async function startAdminServer(
  database: TestDatabase,
  options: Parameters<typeof startTestServer>[1] = {},
): Promise<AdminServer> {
  const server = await startTestServer(database, options);
  const [organization] = await server.platform.tenants.listOrganizations();
  const organizationId = organization?.id ?? '';
  const { value: adminKey } = await server.platform.tenants.keys.create({
    kind: 'admin',
    organization: organizationId,
  });
  const me = (await call(server, '/v1/users/me')).body as { id: string; workspace: { id: string } };
  return {
    ...server,
    adminKey,
    organizationId,
    workspaceId: me.workspace.id,
    ownerId: me.id,
    async admin(method, path, body, key = adminKey) {
      const response = await call(server, `/v1/admin${path}`, {
        method,
        key: '',
        headers: { 'x-api-key': key },
        ...(body === undefined ? {} : { body }),
      });
      return response as AdminResponse<never>;
    },
  };
}

/** Adds a member to the organization and returns the user's id. */
export async function addMember(
  server: AdminServer,
  email: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const person = { email, first_name: 'Ann', last_name: 'Lee', ...more };
  const { body } = await server.admin<{ email_to_user_id: Record<string, string> }>('POST', '/users', [person]);
  return body.email_to_user_id[email] ?? '';
}

/** Another organization with its admin key, owner and workspace. */
export async function addOrganization(
  { platform }: TestServer,
  name: string,
  plan: 'enterprise' | 'team' = 'enterprise',
) {
  const ownerEmail = `owner@${name.toLowerCase()}.test`;
  const { tenants } = platform;
  const organization = await tenants.createOrganization({ name, plan, ownerEmail });
  const { value: adminKey } = await tenants.keys.create({ kind: 'admin', organization: organization.id });
  const owner = await tenants.keys.create({ kind: 'standard', organization: organization.id, user: ownerEmail });
  return {
    id: organization.id,
    adminKey,
    key: owner.value,
    keyId: owner.id,
    ownerId: owner.user?.id ?? '',
    workspaceId: owner.workspace?.id ?? '',
  };
}

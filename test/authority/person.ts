import { randomUUID } from 'node:crypto';
import { OPERATOR } from '../../src/tenants/index.ts';
import type { TestServer } from '../support/server.ts';

export type Person = { key: string; keyId: string; userId: string; email: string; workspaceId: string };

/** A user with a key in a workspace of their own, in the first organization. */
export async function addPerson({ platform }: TestServer, expiresAt?: string): Promise<Person> {
  const { tenants, database } = platform;
  const { id: organization_id } = await database.db
    .selectFrom('organizations')
    .select('id')
    .orderBy('created_at')
    .executeTakeFirstOrThrow();
  const caller = { organization_id, actor: OPERATOR };
  const email = `${randomUUID()}@example.test`;
  const { ids } = await tenants.members.create(caller, [{ email, first_name: '', last_name: '', roles: ['member'] }]);
  const userId = ids.get(email) ?? '';
  const input = { name: email, description: '', icon: '', adminId: userId, addsEverybody: false };
  const { id: workspaceId } = await tenants.workspaces.create(caller, input);
  const made = await tenants.keys.create({
    kind: 'standard',
    organization: organization_id,
    workspace: workspaceId,
    user: email,
    ...(expiresAt ? { expiresAt } : {}),
  });
  return { key: made.value, keyId: made.id, userId, email, workspaceId };
}

/** The ways in which somebody loses their authority, and the reason that is given. */
export const losses = {
  'its key is revoked': {
    reason: 'This ended because its API key was revoked.',
    lose: ({ platform }: TestServer, { keyId }: Person) => platform.tenants.keys.revoke(keyId),
  },
  'its user is removed': {
    reason: 'This ended because its API key was revoked.',
    lose: async (server: TestServer, { userId }: Person) =>
      server.platform.tenants.members.remove(await operatorOf(server), userId),
  },
  'its workspace is archived': {
    reason: 'This ended because its workspace is archived.',
    lose: async (server: TestServer, { workspaceId }: Person) =>
      server.platform.tenants.workspaces.archive(await operatorOf(server), workspaceId),
  },
  'the role of its user changes': {
    reason: /^This ended because its user no longer has the permission '[a-z]+:[a-z]+'\.$/,
    lose: async (server: TestServer, { workspaceId, userId }: Person) =>
      server.platform.tenants.workspaces.addMembers(
        await operatorOf(server),
        workspaceId,
        [{ user_id: userId, roles: ['billing'] }],
        'update',
      ),
  },
} as const;

export type Loss = keyof typeof losses;

async function operatorOf({ platform }: TestServer) {
  const { id: organization_id } = await platform.database.db
    .selectFrom('organizations')
    .select('id')
    .orderBy('created_at')
    .executeTakeFirstOrThrow();
  return { organization_id, actor: OPERATOR };
}

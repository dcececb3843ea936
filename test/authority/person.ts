import { randomUUID } from 'node:crypto';
import { createAuditService } from '../../src/audit/index.ts';
import { systemClock } from '../../src/kit/base/clock.ts';
import { createSignal, type Database } from '../../src/kit/db/index.ts';
import { createTenantService, OPERATOR, type TenantService } from '../../src/tenants/index.ts';
import type { TestDatabase } from '../support/databases.ts';
import { boxForTests } from '../support/secret-box.ts';

export type Operator = {
  platform: { database: Database; tenants: TenantService };
  caller: { organization_id: string; actor: typeof OPERATOR };
};

/** The operator's commands in a process of their own, on the database of a server. */
export async function openOperator(test: TestDatabase): Promise<Operator> {
  const database = await test.open();
  const keysSignal = createSignal(database, 'keys', systemClock);
  const audit = createAuditService({ database, now: systemClock });
  const tenants = createTenantService({ box: boxForTests, database, audit, keysSignal, now: systemClock });
  const [organization] = await tenants.listOrganizations();
  return {
    platform: { database, tenants },
    caller: { organization_id: organization?.id ?? '', actor: OPERATOR },
  };
}

export type Person = { key: string; keyId: string; userId: string; email: string; workspaceId: string };

/** A user with a key in a workspace of their own. */
export async function addPerson({ platform: { tenants }, caller }: Operator, expiresInMs?: number): Promise<Person> {
  const email = `${randomUUID()}@example.test`;
  const { ids } = await tenants.members.create(caller, [{ email, first_name: '', last_name: '', roles: ['member'] }]);
  const userId = ids.get(email) ?? '';
  const input = { name: email, description: '', icon: '', adminId: userId, addsEverybody: false };
  const { id: workspaceId } = await tenants.workspaces.create(caller, input);
  const owner = { organization: caller.organization_id, workspace: workspaceId, user: email };
  const expiresAt = expiresInMs && new Date(Date.now() + expiresInMs).toISOString();
  const { value, id } = await tenants.keys.create({ kind: 'standard', ...owner, ...(expiresAt && { expiresAt }) });
  return { key: value, keyId: id, userId, email, workspaceId };
}

type Take = (operator: Operator, person: Person) => Promise<unknown>;

/** The ways in which somebody loses their authority, and the reason that is given. */
export const losses = {
  'its key is revoked': {
    reason: 'This ended because its API key was revoked.',
    take: ({ platform }, { keyId }) => platform.tenants.keys.revoke(keyId),
  },
  'its user is removed': {
    reason: 'This ended because its API key was revoked.',
    take: ({ platform, caller }, { userId }) => platform.tenants.members.remove(caller, userId),
  },
  'its workspace is archived': {
    reason: 'This ended because its workspace is archived.',
    take: ({ platform, caller }, { workspaceId }) => platform.tenants.workspaces.archive(caller, workspaceId),
  },
  'the role of its user changes': {
    reason: /^This ended because its user no longer has the permission '[a-z]+:[a-z]+'\.$/,
    take: ({ platform, caller }, { workspaceId, userId }) =>
      platform.tenants.workspaces.addMembers(caller, workspaceId, [{ user_id: userId, roles: ['billing'] }], 'update'),
  },
} satisfies Record<string, { reason: string | RegExp; take: Take }>;

export type Loss = keyof typeof losses;

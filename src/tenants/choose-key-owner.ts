import type { Tx } from '../kit/db/index.ts';
import { chooseByIdOrName } from './choose-by-id-or-name.ts';
import { tenantErrors } from './errors.ts';
import { isAdmin } from './permissions.ts';
import { resolveRoles } from './resolve-roles.ts';
import type { KeyKind } from './schema.ts';
import { listOrganizationMembers } from './store/members.ts';
import { listOrganizations } from './store/organizations.ts';
import { listServiceAccounts } from './store/service-accounts.ts';
import type { OrganizationRow } from './store/tables.ts';
import { listWorkspaces } from './store/workspaces.ts';

const ALL_ACCOUNTS = { includesDeleted: false, order: 'asc', offset: 0, limit: 10_000 } as const;

type Wanted = { organization?: string | undefined; workspace?: string | undefined; user?: string | undefined };
export type KeyOwner = {
  organization: OrganizationRow;
  workspace: { id: string; name: string } | null;
  user: { id: string; email: string } | null;
};

/** The owner of a new key: a member, or a service account of the workspace. Without a user it is the organization's admin, if there is only one. */
export async function chooseKeyOwner(tx: Tx, kind: KeyKind, wanted: Wanted): Promise<KeyOwner> {
  const organization = chooseByIdOrName('organization', await listOrganizations(tx), wanted.organization);
  if (kind === 'admin') {
    if (wanted.workspace !== undefined || wanted.user !== undefined) throw tenantErrors.admin_key_scope();
    return { organization, workspace: null, user: null };
  }
  const workspaces = (await listWorkspaces(tx, organization.id)).filter(({ archived_at }) => archived_at === null);
  const workspace = chooseByIdOrName('workspace', workspaces, wanted.workspace);
  const memberships = await listOrganizationMembers(tx, organization.id);
  const admins = new Set(memberships.filter(({ role }) => role === 'organization_admin').map(({ id }) => id));
  // One candidate per member, however many roles the member has.
  const members = [...new Map(memberships.map(({ id, email }) => [id, { id, name: email }])).values()];
  const accounts = await listServiceAccounts(tx, {
    ...ALL_ACCOUNTS,
    organizationId: organization.id,
    workspaceId: workspace.id,
  });
  const owners = members.filter(({ id }) => admins.has(id));
  const candidates = wanted.user === undefined && owners.length > 0 ? owners : [...members, ...accounts];
  const { id, name: email } = chooseByIdOrName('user', candidates, wanted.user);
  if (!accounts.some((account) => account.id === id)) await refuseWithoutRole(tx, workspace, { id, email });
  return { organization, workspace: { id: workspace.id, name: workspace.name }, user: { id, email } };
}

/** A key of a user without a role in the workspace would have no permission. */
export async function refuseWithoutRole(
  tx: Tx,
  workspace: { id: string; name: string; organization_id: string },
  user: { id: string; email: string },
): Promise<void> {
  const roles = await resolveRoles(tx, workspace.organization_id, workspace.id, user.id);
  if (roles.workspace.length > 0 || isAdmin(roles.organization)) return;
  throw tenantErrors.key_without_role(user.email, workspace.name);
}

import type { Tx } from '../kit/db/index.ts';
import { badRequest } from '../kit/http/index.ts';
import { choose } from './choose-by-id-or-name.ts';
import type { KeyKind } from './make-key.ts';
import { effectiveRoles } from './resolve-roles.ts';
import { listOrganizationMembers, listOrganizations, listWorkspaces } from './store/organizations.ts';
import type { OrganizationRow } from './store/tables.ts';

type Wanted = { organization?: string | undefined; workspace?: string | undefined; user?: string | undefined };
type Holder = {
  organization: OrganizationRow;
  workspace: { id: string; name: string } | null;
  user: { id: string; email: string } | null;
};

/** Whom a new key will speak for. Left out, the user is the organization's admin, if it has just one. */
export async function chooseHolder(tx: Tx, kind: KeyKind, wanted: Wanted): Promise<Holder> {
  const organization = choose('organization', await listOrganizations(tx), wanted.organization);
  if (kind === 'admin') {
    if (wanted.workspace !== undefined || wanted.user !== undefined) {
      throw badRequest('An admin key belongs to an organization: it takes no workspace and no user.');
    }
    return { organization, workspace: null, user: null };
  }
  const workspaces = (await listWorkspaces(tx, organization.id)).filter(({ archived_at }) => archived_at === null);
  const workspace = choose('workspace', workspaces, wanted.workspace);
  const memberships = await listOrganizationMembers(tx, organization.id);
  const admins = new Set(memberships.filter(({ role }) => role === 'organization_admin').map(({ id }) => id));
  // A member with two roles is still one person.
  const members = [...new Map(memberships.map(({ id, email }) => [id, { id, name: email }])).values()];
  const owners = members.filter(({ id }) => admins.has(id));
  const candidates = wanted.user === undefined && owners.length > 0 ? owners : members;
  const { id, name: email } = choose('user', candidates, wanted.user);
  await refusePowerless(tx, workspace, { id, email });
  return { organization, workspace: { id: workspace.id, name: workspace.name }, user: { id, email } };
}

/** A key that could do nothing is a mistake that is better told now. */
export async function refusePowerless(
  tx: Tx,
  workspace: { id: string; name: string; organization_id: string },
  user: { id: string; email: string },
): Promise<void> {
  const roles = await effectiveRoles(tx, workspace.organization_id, workspace.id, user.id);
  if (roles.workspace.length > 0 || roles.organization.includes('organization_admin')) return;
  throw badRequest(`${user.email} is no member of the workspace ${workspace.name}, so the key could do nothing there.`);
}

import type { Tx } from '../kit/db/index.ts';
import { badRequest } from '../kit/http/index.ts';
import { choose } from './choose.ts';
import type { KeyKind } from './key-format.ts';
import { listWorkspaceRolesOf } from './store/keys.ts';
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
  if (!admins.has(id) && (await listWorkspaceRolesOf(tx, workspace.id, id)).length === 0) {
    throw badRequest(`${email} is no member of the workspace ${workspace.name}, so the key could do nothing there.`);
  }
  return { organization, workspace: { id: workspace.id, name: workspace.name }, user: { id, email } };
}

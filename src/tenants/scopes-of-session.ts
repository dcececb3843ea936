import type { Scope, Surface } from '../kit/http/index.ts';
import { isAdmin, type Place } from './authenticate/choose-workspace.ts';
import { adminPermissions, CONSOLE_ADMINISTER, CONSOLE_USE, permissionsOf } from './permissions.ts';
import { refusalOfPlan } from './refuse-plan.ts';

const NOBODY: ReadonlySet<string> = new Set();
const NO_WORKSPACE =
  'There is no such workspace among yours. Choose another one, or ask an admin of the organization to add you.';
const ADMINS_ONLY = 'Only an admin of the organization may do that.';

export type SessionUser = {
  id: string;
  user_id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
};

/** What a signed-in user may do on each surface, in the workspace where they are. */
export function scopesOfSession(session: SessionUser, place: Place): Record<Surface, Scope> {
  const { organization, workspace, roles, isLost } = place;
  const { user_id, email, first_name, last_name } = session;
  const workspace_id = workspace?.id ?? '';
  const base = {
    session_id: session.id,
    // What is used by hand is counted under the user, as what is used by a key is under the key.
    key_id: user_id,
    organization_id: organization.id,
    plan: organization.plan,
    workspace_id,
    user_id,
    principal: `${workspace_id || organization.id}:${user_id}`,
    identity: {
      id: user_id,
      email,
      first_name,
      last_name,
      workspace: workspace ? { id: workspace.id, name: workspace.name } : null,
      organization: { id: organization.id, name: organization.name },
      api_key: null,
    },
  };
  const may = workspace ? permissionsOf(roles.workspace, roles.organization) : NOBODY;
  const admin = isAdmin(roles) && !isLost;
  return {
    standard: { ...base, kind: 'standard', permissions: may, refusal: workspace ? undefined : NO_WORKSPACE },
    admin: {
      ...base,
      kind: 'admin',
      workspace_id: '',
      principal: `${organization.id}:${user_id}`,
      permissions: admin ? adminPermissions() : NOBODY,
      refusal: admin ? refusalOfPlan(organization.plan) : isLost ? NO_WORKSPACE : ADMINS_ONLY,
    },
    console: {
      ...base,
      kind: 'standard',
      permissions: new Set([...may, CONSOLE_USE, ...(admin ? [CONSOLE_ADMINISTER] : [])]),
    },
  };
}

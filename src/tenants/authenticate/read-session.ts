import type { Db } from '../../kit/db/index.ts';
import type { KeySurface, Scope } from '../../kit/http/index.ts';
import {
  ADMIN_PERMISSIONS,
  CONSOLE_ACCOUNT,
  CONSOLE_ADMINISTER,
  CONSOLE_JOIN,
  CONSOLE_OWNER,
  CONSOLE_USE,
  isAdmin,
  permissionsOf,
  planRefusal,
} from '../permissions.ts';
import { SESSION_IDLE_MS } from '../sign-in/session-token.ts';
import { isProtected } from '../store/accounts.ts';
import { findSessionWithUser } from '../store/sessions.ts';
import { type CurrentWorkspace, chooseWorkspace } from './choose-workspace.ts';
import type { Voucher } from './vouching.ts';

const NO_PERMISSIONS: ReadonlySet<string> = new Set();
const NO_WORKSPACE =
  'There is no such workspace among yours. Choose another one, or ask an admin of the organization to add you.';
const ADMINS_ONLY = 'Only an admin of the organization may do that.';

type SessionUser = NonNullable<Awaited<ReturnType<typeof findSessionWithUser>>>;

/**
 * A session and the scopes it has in the requested workspace. The caller checks whether it has expired. One of a provider
 * acts in the provider's organization and nowhere else, and speaks for an account that has nothing beyond that.
 */
export async function readSession(
  db: Db,
  vouching: Pick<Voucher, 'organizationOf'>,
  tokenHash: string,
  requestedWorkspace: string,
) {
  const session = await findSessionWithUser(db, tokenHash);
  if (!session) return undefined;
  const { user_id, provider } = session;
  const boundTo = provider ? await vouching.organizationOf(provider) : undefined;
  if (provider && boundTo === undefined) return undefined;
  const current = await chooseWorkspace(db, user_id, requestedWorkspace, boundTo);
  const isOwner = boundTo === undefined || !(await isProtected(db, boundTo, user_id));
  return current && { session, scopes: scopesOf(session, current, isOwner) };
}

/** One scope per surface, in the session's workspace. */
function scopesOf(session: SessionUser, current: CurrentWorkspace, isOwner: boolean): Record<KeySurface, Scope> {
  const { organization, workspace, roles, isDenied } = current;
  const { user_id, email, first_name, last_name } = session;
  const workspace_id = workspace?.id ?? '';
  const unmet = findUnmetRule(organization, session);
  const base = {
    session_id: session.id,
    sign_in: {
      provider: session.provider ?? null,
      has_second_factor: session.second_factor_at !== null,
      refusal: unmet ?? null,
    },
    // Usage of a session is counted under its user, as usage of a key is under the key.
    key_id: user_id,
    organization_id: organization.id,
    plan: organization.plan,
    workspace_id,
    user_id,
    principal: `${workspace_id || organization.id}:${user_id}`,
    expires_at_ms: Math.min(Date.parse(session.expires_at), Date.parse(session.last_seen_at) + SESSION_IDLE_MS),
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
  const permissions =
    workspace && unmet === undefined ? permissionsOf(roles.workspace, roles.organization) : NO_PERMISSIONS;
  const admin = isAdmin(roles.organization) && !isDenied && unmet === undefined;
  return {
    standard: { ...base, kind: 'standard', permissions, refusal: unmet ?? (workspace ? undefined : NO_WORKSPACE) },
    admin: {
      ...base,
      kind: 'admin',
      workspace_id: '',
      principal: `${organization.id}:${user_id}`,
      permissions: admin ? ADMIN_PERMISSIONS : NO_PERMISSIONS,
      refusal: admin ? planRefusal(organization.plan) : (unmet ?? (isDenied ? NO_WORKSPACE : ADMINS_ONLY)),
    },
    console: {
      ...base,
      kind: 'standard',
      permissions: new Set([
        ...permissions,
        CONSOLE_ACCOUNT,
        ...(isOwner ? [CONSOLE_OWNER] : []),
        ...(unmet === undefined ? [CONSOLE_USE] : []),
        ...(unmet === undefined && !session.provider ? [CONSOLE_JOIN] : []),
        ...(admin ? [CONSOLE_ADMINISTER] : []),
      ]),
    },
  };
}

/** What the organization asks of the sign-in and this session does not have, in words for its user. */
function findUnmetRule(organization: CurrentWorkspace['organization'], session: SessionUser): string | undefined {
  const { required_provider, requires_second_factor } = organization;
  if (required_provider && session.provider !== required_provider)
    return `${organization.name} requires that you sign in with '${required_provider}'. Sign out, and sign in with it.`;
  // What a provider asks of its users is the provider's matter.
  if (requires_second_factor && !session.provider && session.second_factor_at === null)
    return `${organization.name} requires a second factor. Set one up on your account page.`;
  return undefined;
}

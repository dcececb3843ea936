import type { AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { type Database, lockFor, type Signal, type Tx } from '../../kit/db/index.ts';
import { badRequest, type Scope } from '../../kit/http/index.ts';
import { choose } from '../choose-by-id-or-name.ts';
import { OPERATOR } from '../operator.ts';
import type { OrganizationsQuery, Plan, UserIdentity, WorkspacesQuery } from '../schema.ts';
import {
  findOrganization,
  findUserByEmail,
  findWorkspaceById,
  insertOrganization,
  insertOrganizationMember,
  insertUser,
  insertWorkspace,
  insertWorkspaceMember,
  listOrganizations,
  listOrganizationsOfUser,
  listWorkspaces,
  listWorkspacesOfUser,
  updatePlan,
} from '../store/organizations.ts';
import type { OrganizationRow, WorkspaceRow } from '../store/tables.ts';
import { createGroupService, type GroupService } from './groups.ts';
import { createInvitationService, type InvitationService, type PostInvitation } from './invitations.ts';
import { createKeyService, type KeyService } from './keys.ts';
import { createMemberService, type MemberService } from './members.ts';
import { createSessionService, type SessionService } from './sessions.ts';
import { createLinkService, type LinkService, type SignInLink } from './sign-in-links.ts';
import { createThrottle, type Throttle } from './throttle.ts';
import { createWorkspaceService, type WorkspaceService } from './workspaces.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;

export type Bootstrap = { ownerEmail: string; apiKey?: string | undefined; adminKey?: string | undefined };
export type BootstrapResult =
  | { created: false }
  | {
      created: true;
      organization: OrganizationRow;
      apiKey: string;
      adminKey?: string | undefined;
      /** Where the owner sets a password, once. */
      link: SignInLink;
    };

export type TenantService = {
  /** Makes the first organization, workspace, owner and key where there is none; safe when two servers start at once. */
  bootstrap(input: Bootstrap): Promise<BootstrapResult>;
  createOrganization(input: { name: string; plan: Plan; ownerEmail: string }): Promise<OrganizationRow>;
  listOrganizations(): Promise<OrganizationRow[]>;
  /** The one with this id or name; left out, the only one there is. */
  chooseOrganization(idOrName: string | undefined): Promise<OrganizationRow>;
  /** The one that is meant, by id or name; left out, the only one there is. */
  chooseWorkspace(wanted: { organization: string | undefined; workspace: string | undefined }): Promise<WorkspaceRow>;
  listWorkspaces(organizationId: string): Promise<WorkspaceRow[]>;
  organizationOf(workspaceId: string): Promise<string | undefined>;
  setPlan(organizationId: string, plan: Plan): Promise<OrganizationRow | undefined>;
  identity(scope: Scope): UserIdentity;
  myOrganizations(scope: Scope, query: OrganizationsQuery): Promise<{ id: string; name: string }[]>;
  myWorkspaces(scope: Scope, query: WorkspacesQuery): Promise<{ id: string; name: string; organization_id: string }[]>;
  keys: KeyService;
  members: MemberService;
  sessions: SessionService;
  throttle: Throttle;
  links: LinkService;
  invitations: InvitationService;
  workspaces: WorkspaceService;
  groups: GroupService;
};

export function createTenantService(deps: {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  now: Clock;
  /** Left out, the links of invitations are shown to whoever invites. */
  post?: PostInvitation | undefined;
}): TenantService {
  const { database, audit, keysSignal, now } = deps;
  const keys = createKeyService(deps);
  const sessions = createSessionService(deps);
  const members = createMemberService({ ...deps, keys, sessions });
  const throttle = createThrottle(deps);
  const links = createLinkService({ ...deps, members, sessions });

  async function insertTenant(tx: Tx, input: { name: string; plan: Plan; ownerEmail: string }) {
    const created_at = isoMicros(now);
    const organization: OrganizationRow = { id: uuid(), name: input.name, plan: input.plan, created_at };
    const workspace = {
      id: uuid(),
      organization_id: organization.id,
      name: 'Default',
      description: '',
      icon: '',
      is_default: true,
      archived_at: null,
      created_at,
    };
    await insertOrganization(tx, organization);
    await insertWorkspace(tx, workspace);
    const owner = (await findUserByEmail(tx, input.ownerEmail)) ?? {
      id: uuid(),
      email: input.ownerEmail,
      first_name: null,
      last_name: null,
      created_at,
    };
    if (owner.created_at === created_at) await insertUser(tx, owner);
    await insertOrganizationMember(tx, organization.id, owner.id, 'organization_admin', created_at);
    await insertWorkspaceMember(tx, workspace.id, owner.id, 'workspace_admin', created_at);
    const common = { organization_id: organization.id, actor: OPERATOR };
    await audit.record(tx, {
      ...common,
      event_type: 'organization.create',
      target_type: 'ORGANIZATION',
      target_metadata: { id: organization.id, name: organization.name },
    });
    await audit.record(tx, {
      ...common,
      workspace_id: workspace.id,
      event_type: 'workspace.create',
      target_type: 'WORKSPACE',
      target_metadata: { id: workspace.id, name: workspace.name },
    });
    await audit.record(tx, {
      ...common,
      event_type: 'user.organization.join',
      target_type: 'USER',
      target_metadata: { id: owner.id, email: owner.email },
    });
    return { organization, workspace, owner };
  }

  return {
    keys,
    members,
    sessions,
    throttle,
    links,
    invitations: createInvitationService({ ...deps, members, throttle }),
    workspaces: createWorkspaceService(deps),
    groups: createGroupService(deps),
    bootstrap: ({ ownerEmail, apiKey, adminKey }) =>
      database.transaction(async (tx): Promise<BootstrapResult> => {
        await lockFor(tx, database.kind, 'bootstrap');
        if ((await listOrganizations(tx)).length > 0) return { created: false };
        const { organization, workspace, owner } = await insertTenant(tx, {
          name: 'Default',
          plan: 'enterprise',
          ownerEmail,
        });
        const key = await keys.insertStandard(tx, {
          organization,
          workspace,
          user: owner,
          name: 'First key',
          value: apiKey,
        });
        if (adminKey) await keys.insertAdmin(tx, { organization, name: 'First admin key', value: adminKey });
        const link = await links.insert(tx, owner);
        return { created: true, organization, apiKey: key.value, adminKey, link };
      }),
    createOrganization: ({ name, plan, ownerEmail }) =>
      database.transaction(async (tx) => {
        if (name.trim() === '') throw badRequest('An organization needs a name.');
        if (!EMAIL.test(ownerEmail)) throw badRequest(`'${ownerEmail}' is not an email address.`);
        const { organization } = await insertTenant(tx, { name: name.trim(), plan, ownerEmail });
        return organization;
      }),
    listOrganizations: () => listOrganizations(database.db),
    chooseOrganization: async (idOrName) => choose('organization', await listOrganizations(database.db), idOrName),
    async chooseWorkspace(wanted) {
      const organization = choose('organization', await listOrganizations(database.db), wanted.organization);
      return choose('workspace', await listWorkspaces(database.db, organization.id), wanted.workspace);
    },
    listWorkspaces: (organizationId) => listWorkspaces(database.db, organizationId),
    organizationOf: async (workspaceId) => (await findWorkspaceById(database.db, workspaceId))?.organization_id,
    setPlan: (organizationId, plan) =>
      database.transaction(async (tx) => {
        if (!(await updatePlan(tx, organizationId, plan))) return undefined;
        await audit.record(tx, {
          organization_id: organizationId,
          actor: OPERATOR,
          event_type: 'organization.kind.update',
          event_metadata: { plan },
          target_type: 'ORGANIZATION',
          target_metadata: { id: organizationId },
        });
        keysSignal.raise(tx);
        return findOrganization(tx, organizationId);
      }),
    identity: (scope) => scope.identity,
    myOrganizations: async (scope, query) =>
      (await listOrganizationsOfUser(database.db, scope.user_id, query)).map(({ id, name }) => ({ id, name })),
    myWorkspaces: (scope, { organization_id = null, offset, limit }) =>
      listWorkspacesOfUser(database.db, scope.user_id, { organizationId: organization_id, offset, limit }),
  };
}

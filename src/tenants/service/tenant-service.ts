import { lockFor } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { OrganizationsQuery, UserIdentity, WorkspacesQuery } from '../schema.ts';
import { listOrganizations, listOrganizationsOfUser } from '../store/organizations.ts';
import type { OrganizationRow } from '../store/tables.ts';
import { listWorkspacesOfUser } from '../store/workspaces.ts';
import { createGroupService, type GroupService } from './groups.ts';
import { createInvitationService, type InvitationService, type PostInvitation } from './invitations.ts';
import { createKeyService, type KeyService } from './keys.ts';
import { createMemberService, type MemberService } from './members.ts';
import { createOrganizationService, insertTenant, type OrganizationService } from './organizations.ts';
import type { TenantPorts } from './ports.ts';
import { createSessionService, type SessionService } from './sessions.ts';
import { createLinkService, type LinkService, type SignInLink } from './sign-in-links.ts';
import { createThrottle, type Throttle } from './throttle.ts';
import { createWorkspaceService, type WorkspaceService } from './workspaces.ts';

export type Bootstrap = { ownerEmail: string; apiKey?: string | undefined; adminKey?: string | undefined };
export type BootstrapResult =
  | { created: false }
  | {
      created: true;
      organization: OrganizationRow;
      apiKey: string;
      adminKey?: string | undefined;
      /** Sets the owner's password, once. */
      link: SignInLink;
    };

export type TenantService = OrganizationService & {
  /** Creates the first organization, workspace, owner and key if there is none. Two servers may start at once. */
  bootstrap(input: Bootstrap): Promise<BootstrapResult>;
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

/** Without `post`, the response to an invitation holds its links. */
export function createTenantService(deps: TenantPorts & { post?: PostInvitation | undefined }): TenantService {
  const { database } = deps;
  const keys = createKeyService(deps);
  const sessions = createSessionService(deps);
  const members = createMemberService({ ...deps, keys, sessions });
  const throttle = createThrottle(deps);
  const links = createLinkService({ ...deps, members, sessions });

  return {
    ...createOrganizationService(deps),
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
        const tenant = { name: 'Default', plan: 'enterprise', ownerEmail } as const;
        const { organization, workspace, owner } = await insertTenant(tx, deps, tenant);
        const standard = { organization, workspace, user: owner, name: 'First key', value: apiKey };
        const key = await keys.insertStandard(tx, standard);
        if (adminKey) await keys.insertAdmin(tx, { organization, name: 'First admin key', value: adminKey });
        return { created: true, organization, apiKey: key.value, adminKey, link: await links.insert(tx, owner) };
      }),
    identity: (scope) => scope.identity,
    myOrganizations: async (scope, query) =>
      (await listOrganizationsOfUser(database.db, scope.user_id, query)).map(({ id, name }) => ({ id, name })),
    myWorkspaces: (scope, { organization_id = null, offset, limit }) =>
      listWorkspacesOfUser(database.db, scope.user_id, { organizationId: organization_id, offset, limit }),
  };
}

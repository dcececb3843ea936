import { lockFor } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import { createVouching, type Vouching } from '../authenticate/vouching.ts';
import { boundOrganization } from '../caller.ts';
import { describeCaller } from '../describe-caller.ts';
import type { OrganizationsQuery, UserIdentity, WhoamiResponse, WorkspacesQuery } from '../schema.ts';
import { listOrganizations, listOrganizationsOfUser } from '../store/organizations.ts';
import type { OrganizationRow } from '../store/tables.ts';
import { listWorkspacesOfUser } from '../store/workspaces.ts';
import { type ConsentService, createConsentService } from './consents.ts';
import { createDeviceService, type DeviceService } from './devices.ts';
import { createGroupService, type GroupService } from './groups.ts';
import { createIdentityService, type IdentityService } from './identities.ts';
import { createInvitationService, type InvitationService, type PostInvitation } from './invitations.ts';
import { createKeyService, type KeyService } from './keys.ts';
import { createMemberService, type MemberService } from './members.ts';
import { createNameService } from './names.ts';
import { createOrganizationService, insertTenant, type OrganizationService } from './organizations.ts';
import { createPasswordService, type PasswordService } from './passwords.ts';
import type { TenantPorts } from './ports.ts';
import { createProfileService, type ProfileService } from './profiles.ts';
import { createProviderSessionService, type ProviderSessionService } from './provider-sessions.ts';
import { createSecondFactorService, type SecondFactorService } from './second-factors.ts';
import { createServiceAccountService, type ServiceAccountService } from './service-accounts.ts';
import { createSessionService, type SessionService } from './sessions.ts';
import { createLinkService, type LinkService, type SignInLink } from './sign-in-links.ts';
import { createThrottle, type Throttle } from './throttle.ts';
import { createOwnerCheck } from './verify-owner.ts';
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
  whoami(scope: Scope): WhoamiResponse;
  myOrganizations(scope: Scope, query: OrganizationsQuery): Promise<{ id: string; name: string }[]>;
  myWorkspaces(scope: Scope, query: WorkspacesQuery): Promise<{ id: string; name: string; organization_id: string }[]>;
  keys: KeyService;
  members: MemberService;
  sessions: SessionService;
  throttle: Throttle;
  devices: DeviceService;
  links: LinkService;
  invitations: InvitationService;
  consents: ConsentService;
  workspaces: WorkspaceService;
  groups: GroupService;
  serviceAccounts: ServiceAccountService;
  passwords: PasswordService;
  profiles: ProfileService;
  identities: IdentityService;
  providerSessions: ProviderSessionService;
  secondFactors: SecondFactorService;
  names: ReturnType<typeof createNameService>;
  /** How sessions of providers are confirmed while they are used. */
  vouching: Vouching;
};

/** Without `post`, the response to an invitation holds its links. */
export function createTenantService(
  deps: TenantPorts & { post?: PostInvitation | undefined; box: SecretBox },
): TenantService {
  const { database } = deps;
  const keys = createKeyService(deps);
  const vouching = createVouching();
  const sessions = createSessionService({ ...deps, vouching });
  const members = createMemberService({ ...deps, keys, sessions });
  const throttle = createThrottle(deps);
  const devices = createDeviceService(deps);
  const verifyOwner = createOwnerCheck(deps, throttle);
  const links = createLinkService({ ...deps, members, sessions, verifyOwner });
  const invitations = createInvitationService({ ...deps, members, verifyOwner });

  return {
    ...createOrganizationService(deps),
    keys,
    members,
    sessions,
    throttle,
    devices,
    passwords: createPasswordService({ ...deps, sessions, devices, throttle }),
    profiles: createProfileService({ ...deps, sessions }),
    identities: createIdentityService({ ...deps, members, sessions, invitations }),
    providerSessions: createProviderSessionService({ ...deps, sessions }),
    vouching,
    secondFactors: createSecondFactorService({ ...deps, sessions, throttle }),
    links,
    invitations,
    consents: createConsentService({ ...deps, members, links, invitations }),
    workspaces: createWorkspaceService(deps),
    groups: createGroupService(deps),
    serviceAccounts: createServiceAccountService({ ...deps, keys }),
    names: createNameService(deps),
    bootstrap: ({ ownerEmail, apiKey, adminKey }) =>
      database.transaction(async (tx): Promise<BootstrapResult> => {
        await lockFor(tx, database.kind, 'bootstrap');
        if ((await listOrganizations(tx)).length > 0) return { created: false };
        const tenant = { name: 'Default', plan: 'enterprise', ownerEmail, joinsExisting: true } as const;
        const { organization, workspace, owner } = await insertTenant(tx, deps, tenant);
        const standard = { organization, workspace, user: owner, name: 'First key', value: apiKey };
        const key = await keys.insertStandard(tx, standard);
        if (adminKey) await keys.insertAdmin(tx, { organization, name: 'First admin key', value: adminKey });
        return { created: true, organization, apiKey: key.value, adminKey, link: await links.insert(tx, owner) };
      }),
    identity: (scope) => scope.identity,
    whoami: describeCaller,
    async myOrganizations(scope, query) {
      if (scope.service_account !== undefined) return onlyOf(scope.identity.organization, query);
      const rows = await listOrganizationsOfUser(database.db, scope.user_id, query, boundOrganization(scope));
      return rows.map(({ id, name }) => ({ id, name }));
    },
    async myWorkspaces(scope, { organization_id = null, offset, limit }) {
      const own = boundOrganization(scope);
      if (own && organization_id && organization_id !== own) return [];
      if (scope.service_account !== undefined)
        return onlyOf(scope.identity.workspace, { offset }).map((one) => ({ ...one, organization_id: own ?? '' }));
      const page = { organizationId: own ?? organization_id, offset, limit };
      return listWorkspacesOfUser(database.db, scope.user_id, page);
    },
  };
}

/** A service account has one workspace, that of its keys. */
function onlyOf<T>(one: T | null | undefined, { offset }: { offset: number }): T[] {
  return one && offset === 0 ? [one] : [];
}

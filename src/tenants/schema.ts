import { z } from 'zod';
import { queryInt } from '../kit/http/index.ts';

export const UserIdentityWorkspace = z
  .object({ id: z.string(), name: z.string() })
  .meta({ id: 'UserIdentityWorkspace' });
export const UserIdentityOrganization = z
  .object({ id: z.string(), name: z.string() })
  .meta({ id: 'UserIdentityOrganization' });
export const UserIdentityApiKey = z
  .object({ id: z.string(), name: z.string().nullable() })
  .meta({ id: 'UserIdentityApiKey' });

export const UserIdentity = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    workspace: UserIdentityWorkspace.nullable().optional(),
    organization: UserIdentityOrganization.nullable().optional(),
    api_key: UserIdentityApiKey.nullable().optional(),
  })
  .meta({ id: 'UserIdentity' });
export type UserIdentity = z.infer<typeof UserIdentity>;

const WhoamiUserPrincipal = z
  .object({
    principal_type: z.literal('user'),
    id: z.string(),
    email: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
  })
  .meta({ id: 'WhoamiUserPrincipal' });
const WhoamiServiceAccountPrincipal = z
  .object({
    principal_type: z.literal('service_account'),
    service_account_id: z.string(),
    name: z.string().nullable(),
  })
  .meta({ id: 'WhoamiServiceAccountPrincipal' });
const WhoamiOrganization = z
  .object({
    id: z.string(),
    name: z.string(),
    org_tier: z.string().nullable(),
    internal: z.boolean(),
    kind: z.string(),
  })
  .meta({ id: 'WhoamiOrganization' });
export const WhoamiResponse = z
  .object({
    principal: z.discriminatedUnion('principal_type', [WhoamiUserPrincipal, WhoamiServiceAccountPrincipal]),
    organization: WhoamiOrganization.nullable(),
    workspace: UserIdentityWorkspace.nullable(),
  })
  .meta({ id: 'WhoamiResponse' });
export type WhoamiResponse = z.infer<typeof WhoamiResponse>;

/** Of Vibe, for one. Its properties are open, because nothing reads them. */
export const ClientEvent = z
  .strictObject({ event: z.string().max(256), properties: z.record(z.string(), z.unknown()).optional() })
  .meta({ id: 'ClientEvent' });

export const UserOrganization = z.object({ id: z.string(), name: z.string() }).meta({ id: 'UserOrganization' });
export const ListOrganizationsResponse = z
  .object({ organizations: z.array(UserOrganization) })
  .meta({ id: 'ListOrganizationsResponse' });

export const UserWorkspace = z
  .object({ id: z.string(), name: z.string(), organization_id: z.string() })
  .meta({ id: 'UserWorkspace' });
export const ListWorkspacesResponse = z
  .object({ workspaces: z.array(UserWorkspace) })
  .meta({ id: 'ListWorkspacesResponse' });

const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 1024;
export const NewPassword = z.string().min(PASSWORD_CHARACTERS_MIN).max(PASSWORD_CHARACTERS_MAX);

const page = { offset: queryInt().min(0).default(0), limit: queryInt().min(1).max(100).default(100) };

export const OrganizationsQuery = z.strictObject(page);
export type OrganizationsQuery = z.infer<typeof OrganizationsQuery>;

export const WorkspacesQuery = z.strictObject({ organization_id: z.uuid().nullable().optional(), ...page });
export type WorkspacesQuery = z.infer<typeof WorkspacesQuery>;

/** The plan decides which surfaces an organization has; the administrative API needs `enterprise`. */
export const plans = ['free', 'team', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

export type SignInState = {
  /** Undefined for a password or a link. */
  provider: string | null;
  has_second_factor: boolean;
  /** What the organization asks of a sign-in and this one does not have. */
  refusal: string | null;
};

export type KeyKind = 'standard' | 'admin';

/** Role names are those of the public API. */
export const organizationRoles = ['member', 'billing_manager', 'organization_admin'] as const;
export type OrganizationRole = (typeof organizationRoles)[number];

export const workspaceRoles = [
  'billing',
  'user',
  'contributor',
  'dev',
  'dev_contributor',
  'mistral_code_user',
  'cloud_user',
  'workspace_contributor',
  'workspace_admin',
  'observability_viewer',
  'workflow_executor',
] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];

/** The default role of a workspace member: all features, no administration. */
export const MEMBER_ROLE: WorkspaceRole = 'workspace_contributor';

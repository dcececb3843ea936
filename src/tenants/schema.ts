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

/** What an organization pays for decides which surfaces it has; the administrative API asks for `enterprise`. */
export const plans = ['free', 'team', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

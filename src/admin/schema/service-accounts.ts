import { z } from 'zod';
import { queryBool, queryInt } from '../../kit/http/index.ts';
import { type WorkspaceRole, workspaceRoles } from '../../tenants/index.ts';
import { Id } from './page.ts';
import { ORGANIZATION_ROLE_IDS, WORKSPACE_ROLE_IDS } from './roles.ts';

const NAME_CHARACTERS_MAX = 255;
const DESCRIPTION_CHARACTERS_MAX = 1024;
const ROLES_MAX = 100;

/** Belongs to the organization and has no role in the workspace. */
export const NO_ROLE_ID = ORGANIZATION_ROLE_IDS.member;
const RoleIds = z.array(z.enum([NO_ROLE_ID, ...Object.values(WORKSPACE_ROLE_IDS)])).max(ROLES_MAX);

const Description = z.string().max(DESCRIPTION_CHARACTERS_MAX).nullish();

export const CreateServiceAccountRequest = z
  .strictObject({
    name: z.string().max(NAME_CHARACTERS_MAX).trim().min(1),
    workspace_id: Id,
    description: Description,
    role_ids: RoleIds.optional(),
  })
  .meta({ id: 'CreateServiceAccountRequest' });
export type CreateServiceAccountRequest = z.infer<typeof CreateServiceAccountRequest>;

export const UpdateServiceAccountRequest = z
  .strictObject({ description: Description })
  .meta({ id: 'UpdateServiceAccountRequest' });
export type UpdateServiceAccountRequest = z.infer<typeof UpdateServiceAccountRequest>;

export const SetServiceAccountRolesRequest = z
  .strictObject({ role_ids: RoleIds.min(1) })
  .meta({ id: 'SetServiceAccountRolesRequest' });

export const ServiceAccountParams = z.strictObject({ service_account_id: Id });
export const AssignableRolesQuery = z.strictObject({ workspace_id: Id });
export const ServiceAccountsQuery = z.strictObject({
  offset: queryInt().min(0).max(1_000_000_000).default(0),
  limit: queryInt().min(1).max(1000).default(100),
  workspace_id: Id.nullish(),
  include_deleted: queryBool().default(false),
  q: z.string().max(NAME_CHARACTERS_MAX).nullish(),
  order: z.enum(['asc', 'desc']).default('asc'),
});
export type ServiceAccountsQuery = z.infer<typeof ServiceAccountsQuery>;

export const ServiceAccount = z
  .object({
    id: z.string(),
    name: z.string(),
    customer_id: z.string(),
    organization_id: z.string(),
    workspace_id: z.string(),
    description: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    deleted_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ServiceAccount' });
export type ServiceAccount = z.infer<typeof ServiceAccount>;

export const ListServiceAccountsResponse = z
  .object({ items: z.array(ServiceAccount) })
  .meta({ id: 'ListServiceAccountsResponse' });

const ServiceAccountRole = z.object({ role_id: z.string() }).meta({ id: 'ServiceAccountRole' });
export const ListServiceAccountRolesResponse = z
  .object({ items: z.array(ServiceAccountRole) })
  .meta({ id: 'ListServiceAccountRolesResponse' });

const AssignableServiceAccountRole = z
  .object({ uuid: z.string(), name: z.string(), description: z.string(), is_custom_role: z.boolean() })
  .meta({ id: 'AssignableServiceAccountRole' });
export const ListAssignableServiceAccountRolesResponse = z
  .object({ items: z.array(AssignableServiceAccountRole) })
  .meta({ id: 'ListAssignableServiceAccountRolesResponse' });

export function serviceRolesIn(ids: readonly string[]): WorkspaceRole[] {
  return workspaceRoles.filter((name) => ids.includes(WORKSPACE_ROLE_IDS[name]));
}

import { z } from 'zod';
import { queryBool } from '../../kit/http/index.ts';
import { Id, page } from './page.ts';
import { anyRolesOut, hasOneRoleForm, oneRoleForm, workspaceRoleFields } from './roles.ts';

const MEMBERS_MAX = 1000;

export const WorkspacesQuery = z.strictObject({
  is_archived: queryBool().default(false),
  ...page,
  search: z.string().max(255).nullish(),
});
export type WorkspacesQuery = z.infer<typeof WorkspacesQuery>;
export const WorkspaceParams = z.strictObject({ workspace_uuid: Id });

export const AdminWorkspaceIn = z
  .strictObject({
    name: z.string().max(255),
    description: z.string().max(255).default(''),
    icon: z.string().max(2).default(''),
    add_all_org_members: z.boolean().default(false),
    admin_user_id: Id,
  })
  .meta({ id: 'AdminWorkspaceIn' });
export type AdminWorkspaceIn = z.infer<typeof AdminWorkspaceIn>;

export const UpdateWorkspaceIN = z
  .strictObject({
    name: z.string().max(255).nullish(),
    description: z.string().max(255).nullish(),
    icon: z.string().max(2).nullish(),
  })
  .meta({ id: 'UpdateWorkspaceIN' });
export type UpdateWorkspaceIN = z.infer<typeof UpdateWorkspaceIN>;

const WorkspaceMemberSingleIN = z
  .strictObject({ ...workspaceRoleFields, user_uuid: Id })
  .refine(hasOneRoleForm, oneRoleForm)
  .meta({ id: 'WorkspaceMemberSingleIN' });
export const WorkspaceMemberIN = z
  .strictObject({ members: z.array(WorkspaceMemberSingleIN).max(MEMBERS_MAX).nullish() })
  .meta({ id: 'WorkspaceMemberIN' });
export type WorkspaceMemberIN = z.infer<typeof WorkspaceMemberIN>;

const BaseWorkspaceMemberIN = z.strictObject({ user_uuid: Id }).meta({ id: 'BaseWorkspaceMemberIN' });
export const RemoveWorkspaceMembersIN = z
  .strictObject({ members: z.array(BaseWorkspaceMemberIN).max(MEMBERS_MAX) })
  .meta({ id: 'RemoveWorkspaceMembersIN' });
export type RemoveWorkspaceMembersIN = z.infer<typeof RemoveWorkspaceMembersIN>;

const WorkspaceSpendLimitOUT = z
  .object({
    value: z.number().nullable(),
    currency: z.string().nullable(),
    no_monthly_limit: z.boolean().nullable(),
  })
  .meta({ id: 'WorkspaceSpendLimitOUT' });

const workspace = {
  uuid: z.guid(),
  name: z.string().max(255),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  members_count: z.int().nullish(),
  spend_limit: WorkspaceSpendLimitOUT.nullish(),
  is_default: z.boolean(),
};
export const WorkspaceOUT = z.object(workspace).meta({ id: 'WorkspaceOUT' });
export type WorkspaceOUT = z.infer<typeof WorkspaceOUT>;
export const WorkspaceEnrichedOUT = z.object({ ...workspace, ...anyRolesOut }).meta({ id: 'WorkspaceEnrichedOUT' });
export const WorkspacesOut = z
  .object({
    total: z.int(),
    items: z.array(WorkspaceOUT),
    object: z.enum(['list']).meta({ id: 'ApiObjectType' }).default('list'),
    page: z.int(),
    page_size: z.int(),
  })
  .meta({ id: 'WorkspacesOut' });

export const AddUsersToWorkspaceOUT = z.object({ added_members_count: z.int() }).meta({ id: 'AddUsersToWorkspaceOUT' });
export const AddOrUpdateUsersToWorkspaceOUT = z
  .object({ added_members_count: z.int(), updated_members_count: z.int() })
  .meta({ id: 'AddOrUpdateUsersToWorkspaceOUT' });
export const RemoveWorkspaceMembersOUT = z
  .object({ deleted_members_count: z.int(), not_deleted_members: z.array(z.guid()).nullish() })
  .meta({ id: 'RemoveWorkspaceMembersOUT' });

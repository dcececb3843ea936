import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { AdminUserGroupsOut } from '../../../../src/admin/schema/groups.ts';
import type { RolesOut } from '../../../../src/admin/schema/roles.ts';
import type { OrganizationAdminUsersOUT } from '../../../../src/admin/schema/users.ts';
import type { WorkspacesOut } from '../../../../src/admin/schema/workspaces.ts';
import { api } from '../../api/api.ts';

export type Member = OrganizationAdminUsersOUT['members'][number];

export const pageSize = 25;
/** All lists of the area begin with it. */
export const organizationKey = ['organization'];

export const rolesQuery = queryOptions({
  queryKey: ['organization', 'roles'],
  queryFn: () => api.get<RolesOut>('/v1/admin/roles'),
  staleTime: Number.POSITIVE_INFINITY,
});

export const membersQuery = (page: number, email: string, size = pageSize) =>
  queryOptions({
    queryKey: ['organization', 'members', page, email, size],
    queryFn: () => api.get<OrganizationAdminUsersOUT>('/v1/admin/users', { query: { page, page_size: size, email } }),
    placeholderData: keepPreviousData,
  });

export const workspacesQuery = (page: number, search: string, archived: boolean, size = pageSize) =>
  queryOptions({
    queryKey: ['organization', 'workspaces', page, search, archived, size],
    queryFn: () =>
      api.get<z.infer<typeof WorkspacesOut>>('/v1/admin/workspaces', {
        query: { page, page_size: size, search, is_archived: archived },
      }),
    placeholderData: keepPreviousData,
  });

export const groupsQuery = (page: number, search: string) =>
  queryOptions({
    queryKey: ['organization', 'groups', page, search],
    queryFn: () =>
      api.get<z.infer<typeof AdminUserGroupsOut>>('/v1/admin/user-groups', {
        query: { page, page_size: pageSize, search },
      }),
    placeholderData: keepPreviousData,
  });

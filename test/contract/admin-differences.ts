import type { KnownDifference } from './reconcile-differences.ts';

const strict = 'Unknown properties are refused wherever the contract does not say otherwise.';
const bounded = 'What one call may ask for has an end: lists, pages, texts and amounts.';
const named = 'Deeds for which the public list has no word (files, models, workflows, refusals) have names of our own.';
const repeatable = 'A POST that makes something honours Idempotency-Key.';

const closed = [
  'AdminAssignUsersToGroupIn',
  'AdminCreateAPIKeyIN',
  'AdminOrganizationMemberUpdate',
  'AdminProvisionGroupToWorkspaceIn',
  'AdminUpdateUserGroupIn',
  'AdminUserGroupIn',
  'AdminWorkspaceIn',
  'AssignGroupToWorkspaceIn',
  'BaseWorkspaceMemberIN',
  'NewUsageLimitIN',
  'OrganizationInviteIN',
  'OrganizationMemberCreate',
  'RemoveWorkspaceMembersIN',
  'SetNestedGroupsIn',
  'UpdateGroupWorkspaceAssignmentIn',
  'UpdateUserGroupOrganizationRoleIn',
  'UpdateWorkspaceIN',
  'WorkspaceMemberIN',
  'WorkspaceMemberSingleIN',
];

const limited = [
  'AdminAssignUsersToGroupIn.*',
  'AdminUpdateUserGroupIn.*',
  'AdminUserGroupIn.*',
  'NewUsageLimitIN.*',
  'OrganizationInviteIN.*',
  'RemoveWorkspaceMembersIN.*',
  'SetNestedGroupsIn.*',
  'WorkspaceMemberIN.*',
  'GET /v1/admin/api-keys *',
  'GET /v1/admin/audit-logs *',
  'GET /v1/admin/usage *',
  'GET /v1/admin/user-groups*',
  'GET /v1/admin/users *',
  'GET /v1/admin/workspaces *',
  'POST /v1/admin/users body*',
];

const creating = ['api-keys', 'user-groups', 'users', 'users-invite', 'workspaces'];

/** Where the administrative API differs from its published twin, with the reason. */
export const adminDifferences: KnownDifference[] = [
  ...closed.map((at): KnownDifference => ({ at, kind: 'closed-here', reason: strict })),
  ...limited.map((at): KnownDifference => ({ at, kind: 'limit', reason: bounded })),
  ...creating.map(
    (noun): KnownDifference => ({
      at: `POST /v1/admin/${noun} header.idempotency-key`,
      kind: 'added-parameter',
      reason: repeatable,
    }),
  ),
  { at: 'AuditLogEventType', kind: 'enum', reason: named },
  { at: 'TargetType', kind: 'enum', reason: named },
  {
    at: 'OrganizationInvitesCreateOUT.invite_links',
    kind: 'added-property',
    reason: 'Where no mail is set up, whoever invites must be shown the links.',
  },
];

export { actorOf } from './actor.ts';
export { type Authenticator, createAuthenticator, keyValueOf } from './authenticate.ts';
export { type By, byKey } from './by.ts';
export type { Group, GroupPerson, GroupWorkspace } from './groups.ts';
export type { PostInvitation } from './invitations.ts';
export type { CreatedKey, KeySummary } from './keys.ts';
export type { Member } from './members.ts';
export { OPERATOR } from './operator.ts';
export {
  MEMBER_ROLE,
  type OrganizationRole,
  organizationRoles,
  type Permission,
  permissions,
  type WorkspaceRole,
  workspaceRoles,
} from './permissions.ts';
export { tenantRoutes } from './routes.ts';
export { type Plan, plans } from './schema.ts';
export type { Scope } from './scope.ts';
export { type BootstrapResult, createTenantService, type TenantService } from './service.ts';
export type { InvitationRow } from './store/tables.ts';
export type { Workspace } from './workspaces.ts';

export { actorOf } from './actor.ts';
export { type Authenticator, createAuthenticator, keyValueOf } from './authenticate.ts';
export { type By, byKey } from './by.ts';
export type { Group, GroupPerson, GroupWorkspace } from './groups.ts';
export type { PostInvitation } from './invitations.ts';
export type { CreatedKey, KeySummary } from './keys.ts';
export type { Member } from './members.ts';
export { OPERATOR } from './operator.ts';
export {
  CONSOLE_ADMINISTER,
  CONSOLE_USE,
  MEMBER_ROLE,
  type OrganizationRole,
  organizationRoles,
  type Permission,
  permissions,
  type WorkspaceRole,
  workspaceRoles,
} from './permissions.ts';
export { tenantRoutes } from './routes.ts';
export { NewPassword, type Plan, plans } from './schema.ts';
export type { Scope } from './scope.ts';
export { type BootstrapResult, createTenantService, type TenantService } from './service.ts';
export { csrfTokenOf, readSessionToken, sessionCookie } from './session-token.ts';
export { type Client, type OpenedSession, SESSION_LIFETIME_MS, type SessionView } from './sessions.ts';
export type { InvitationRow } from './store/tables.ts';
export type { Workspace } from './workspaces.ts';

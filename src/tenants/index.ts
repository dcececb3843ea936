export { actorOf } from './actor.ts';
export { type Authenticator, createAuthenticator, keyValueOf } from './authenticate/authenticate.ts';
export { type By, byKey } from './caller.ts';
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
export type { Group, GroupPerson, GroupWorkspace } from './service/groups.ts';
export type { PostInvitation } from './service/invitations.ts';
export type { CreatedKey, KeySummary } from './service/keys.ts';
export type { Member } from './service/members.ts';
export { type Client, type OpenedSession, SESSION_LIFETIME_MS, type SessionView } from './service/sessions.ts';
export { type BootstrapResult, createTenantService, type TenantService } from './service/tenant-service.ts';
export type { Workspace } from './service/workspaces.ts';
export { csrfTokenOf, readSessionToken, sessionCookie } from './sign-in/session-token.ts';
export type { InvitationRow } from './store/tables.ts';

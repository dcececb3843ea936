export { type Authenticator, createAuthenticator, keyValueOf } from './authenticate/authenticate.ts';
export type { Authority, Holder } from './authenticate/authority.ts';
export { type ClientTokens, checkClientModel } from './authenticate/client-tokens.ts';
export type { VouchedSession, Voucher } from './authenticate/vouching.ts';
export { actorOf, type Caller, callerOf, OPERATOR } from './caller.ts';
export { tenantErrors } from './errors.ts';
export { formatName } from './format-name.ts';
export { holderOf } from './holder-of.ts';
export {
  CONSOLE_ACCOUNT,
  CONSOLE_ADMINISTER,
  CONSOLE_JOIN,
  CONSOLE_OWNER,
  CONSOLE_USE,
  ORGANIZATION_ADMINISTER,
  type Permission,
  permissions,
} from './permissions.ts';
export { resealSignIns } from './reseal-sign-ins.ts';
export { tenantRoutes } from './routes.ts';
export {
  MEMBER_ROLE,
  NewPassword,
  type OrganizationRole,
  organizationRoles,
  type Plan,
  plans,
  type WorkspaceRole,
  workspaceRoles,
} from './schema.ts';
export type { Scope } from './scope.ts';
export type { PendingConsent } from './service/consents.ts';
export type { Group, GroupPerson, GroupWorkspace } from './service/groups.ts';
export type { ProviderClaims, ProviderRules } from './service/identities.ts';
export type { PostInvitation } from './service/invitations.ts';
export type { CreatedKey, KeySummary } from './service/keys.ts';
export type { Member } from './service/members.ts';
export type { TenantName } from './service/names.ts';
export type { CheckedSession, ProviderLogout, ProviderTokens } from './service/provider-sessions.ts';
export type { Client, OpenedSession, SessionView } from './service/sessions.ts';
export { type BootstrapResult, createTenantService, type TenantService } from './service/tenant-service.ts';
export type { Attempt } from './service/throttle.ts';
export type { Workspace } from './service/workspaces.ts';
export { deviceCookie, readDeviceToken } from './sign-in/device-token.ts';
export { readCookie } from './sign-in/read-cookie.ts';
export { csrfTokenOf, readSessionToken, SESSION_LIFETIME_MS, sessionCookie } from './sign-in/session-token.ts';
export { isInvitationToken, LINK_PATH } from './sign-in/sign-invitation.ts';
export type { ServiceAccountRow } from './store/service-accounts.ts';
export type { InvitationRow } from './store/tables.ts';
export { tenantOf } from './tenant-of.ts';

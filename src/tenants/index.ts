export { actorOf } from './actor.ts';
export { type Authenticator, createAuthenticator } from './authenticate.ts';
export type { CreatedKey, KeySummary } from './keys.ts';
export { type Permission, permissions } from './permissions.ts';
export { tenantRoutes } from './routes.ts';
export { type Plan, plans } from './schema.ts';
export type { Scope } from './scope.ts';
export { type BootstrapResult, createTenantService, type TenantService } from './service.ts';

import { createLazyRoute } from '@tanstack/react-router';
import { AdminKeysPage } from './admin-keys-page.tsx';
import { ApiKeysPage } from './api-keys-page.tsx';
import { AuditLogPage } from './audit-log-page.tsx';
import { GroupsPage } from './groups-page.tsx';
import { LimitsPage } from './limits-page.tsx';
import { MembersPage } from './members-page.tsx';
import { ServiceAccountsPage } from './service-accounts-page.tsx';
import { SignInRulesPage } from './sign-in-rules-page.tsx';
import { UsagePage } from './usage-page.tsx';
import { WorkspacesPage } from './workspaces-page.tsx';

export const members = createLazyRoute('/shell/organization')({ component: MembersPage });
export const workspaces = createLazyRoute('/shell/organization/workspaces')({ component: WorkspacesPage });
export const groups = createLazyRoute('/shell/organization/groups')({ component: GroupsPage });
export const apiKeys = createLazyRoute('/shell/organization/api-keys')({ component: ApiKeysPage });
export const adminKeys = createLazyRoute('/shell/organization/admin-keys')({ component: AdminKeysPage });
export const serviceAccounts = createLazyRoute('/shell/organization/service-accounts')({
  component: ServiceAccountsPage,
});
export const signInRules = createLazyRoute('/shell/organization/sign-in')({ component: SignInRulesPage });
export const usage = createLazyRoute('/shell/organization/usage')({ component: UsagePage });
export const limits = createLazyRoute('/shell/organization/limits')({ component: LimitsPage });
export const auditLog = createLazyRoute('/shell/organization/audit-log')({ component: AuditLogPage });

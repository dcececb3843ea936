import type { AuditService } from '../../audit/index.ts';
import type { Scope } from '../../tenants/index.ts';
import type { AuditLogsQuery } from '../schema/audit.ts';
import { type BillingPorts, createBilling } from './billing.ts';
import { createGroupAdministration } from './groups.ts';
import { createKeyAdministration } from './keys.ts';
import { createServiceAccountAdministration } from './service-accounts.ts';
import { createUserAdministration } from './users.ts';
import { createWorkspaceAdministration } from './workspaces.ts';

export type AdminPorts = BillingPorts & {
  audit: AuditService;
  /** Base URL of links; without it, the origin of the request. */
  publicUrl: string | undefined;
};

/** Maps the wire format of the administrative API to the services of tenants, metering and audit. */
export function createAdminService(ports: AdminPorts) {
  const { audit, database } = ports;
  return {
    users: createUserAdministration(ports),
    workspaces: createWorkspaceAdministration(ports),
    groups: createGroupAdministration(ports),
    keys: createKeyAdministration(ports),
    serviceAccounts: createServiceAccountAdministration(ports),
    billing: createBilling(ports),
    auditLogs: ({ organization_id }: Scope, query: AuditLogsQuery) =>
      audit.list(database.db, organization_id, withoutNull(query)),
  };
}

export type AdminService = ReturnType<typeof createAdminService>;

function withoutNull<T extends object>(query: T): { [K in keyof T]: Exclude<T[K], null> } {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value ?? undefined])) as never;
}

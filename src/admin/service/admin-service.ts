import type { AuditService } from '../../audit/index.ts';
import type { Scope } from '../../tenants/index.ts';
import type { AuditLogsQuery } from '../schema/audit.ts';
import { type BillingPorts, createBilling } from './billing.ts';
import { createGroupAdministration } from './groups.ts';
import { createKeyAdministration } from './keys.ts';
import { createUserAdministration } from './users.ts';
import { createWorkspaceAdministration } from './workspaces.ts';

export type AdminPorts = BillingPorts & {
  audit: AuditService;
  /** Where links lead; left out, to the address by which the caller found us. */
  publicUrl: string | undefined;
};

/** A face: the rules are those of tenants, metering and audit; here they get the words of the wire. */
export function createAdminService(ports: AdminPorts) {
  const { audit, database } = ports;
  return {
    users: createUserAdministration(ports),
    workspaces: createWorkspaceAdministration(ports),
    groups: createGroupAdministration(ports),
    keys: createKeyAdministration(ports),
    billing: createBilling(ports),
    auditLogs: ({ organization_id }: Scope, query: AuditLogsQuery) =>
      audit.list(database.db, organization_id, withoutNull(query)),
  };
}

export type AdminService = ReturnType<typeof createAdminService>;

function withoutNull<T extends object>(query: T): { [K in keyof T]: Exclude<T[K], null> } {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value ?? undefined])) as never;
}

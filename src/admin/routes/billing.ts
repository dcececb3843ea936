import { type AnyRoute, route } from '../../kit/http/index.ts';
import { AuditLogsOut, AuditLogsQuery } from '../schema/audit.ts';
import { LimitsOUT, NewUsageLimitIN, RateLimitsOUT, UsageOUTJSON, UsageQuery } from '../schema/billing.ts';
import type { AdminService } from '../service/admin-service.ts';
import { adminRouteDefaults } from './route-defaults.ts';

export function billingRoutes(admin: AdminService): AnyRoute[] {
  const common = adminRouteDefaults('billing');
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/rate-limit',
      operationId: 'users_api_admin_rate_limits_get_rate_limits',
      summary: 'Get the rate limits of the organization; 9007199254740991 means no limit',
      response: RateLimitsOUT,
      handler: ({ scope }) => admin.billing.rateLimits(scope),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/spend-limit',
      operationId: 'users_api_admin_spend_limits_get_spend_limits',
      summary: 'Get the monthly budget of the organization and what is spent of it',
      response: LimitsOUT,
      handler: ({ scope }) => admin.billing.spendLimit(scope),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/spend-limit',
      operationId: 'users_api_admin_spend_limits_update_spend_limits',
      summary: 'Set the monthly budget of the organization, in currency units',
      body: NewUsageLimitIN,
      response: LimitsOUT,
      handler: ({ scope, body }) => admin.billing.setSpendLimit(scope, body),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/usage',
      operationId: 'users_api_admin_usage_get_usage',
      summary: 'Get the usage of a month by model, day, workspace and key',
      query: UsageQuery,
      response: UsageOUTJSON,
      handler: ({ scope, query }) => admin.billing.usage(scope, query),
    }),
    route({
      ...adminRouteDefaults('audit-logs'),
      method: 'GET',
      path: '/v1/admin/audit-logs',
      operationId: 'users_api_admin_audit_logs_get_audit_logs',
      summary: 'List the audit log of the organization, newest first',
      query: AuditLogsQuery,
      response: AuditLogsOut,
      handler: ({ scope, query }) => admin.auditLogs(scope, query),
    }),
  ];
}

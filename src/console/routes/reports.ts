import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_ADMINISTER, CONSOLE_USE } from '../../tenants/index.ts';
import { ConsoleErrors, ConsoleHealth, ErrorsQuery } from '../schema/health.ts';
import { McpCallers } from '../schema/mcp.ts';
import { PromptParams, PromptUses } from '../schema/prompts.ts';
import { QuarantinedWork, QuarantineParams } from '../schema/quarantine.ts';
import {
  ConsoleLimits,
  ConsoleLimitsChange,
  ConsoleLimitsList,
  ConsoleUsage,
  ConsoleUsageQuery,
  LimitParams,
} from '../schema/usage.ts';
import type { ConsoleService } from '../service/console-service.ts';

export function reportRoutes(service: ConsoleService): AnyRoute[] {
  const common = { surface: 'console', permission: CONSOLE_USE, hidden: true } as const;
  const administrative = { ...common, permission: CONSOLE_ADMINISTER } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/console/api/health',
      operationId: 'console_health',
      summary: 'The state of database, models and background tasks',
      response: ConsoleHealth,
      handler: ({ scope }) => service.health.read(scope),
    }),
    route({
      ...administrative,
      method: 'GET',
      path: '/console/api/quarantine',
      operationId: 'console_quarantine',
      summary: 'Stored work that runs no more because the server died with it three times, for the operator',
      response: QuarantinedWork,
      handler: ({ scope }) => service.quarantine.list(scope),
    }),
    route({
      ...administrative,
      method: 'POST',
      path: '/console/api/quarantine/:task_id/retry',
      operationId: 'console_quarantine_retry',
      summary: 'Run quarantined work once more',
      status: 204,
      params: QuarantineParams,
      handler: ({ scope, params }) => service.quarantine.retry(scope, params.task_id),
    }),
    route({
      ...administrative,
      method: 'DELETE',
      path: '/console/api/quarantine/:task_id',
      operationId: 'console_quarantine_dismiss',
      summary: 'Take quarantined work that has ended off the list',
      status: 204,
      params: QuarantineParams,
      handler: ({ scope, params }) => service.quarantine.dismiss(scope, params.task_id),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/console/api/errors',
      operationId: 'console_errors',
      summary: 'The latest failed requests of the workspace on this server, newest first',
      query: ErrorsQuery,
      response: ConsoleErrors,
      handler: ({ scope, query }) => ({ errors: service.errors.list(scope.workspace_id, query.limit) }),
    }),
    route({
      ...common,
      permission: 'mcp:use',
      method: 'GET',
      path: '/console/api/mcp',
      operationId: 'console_mcp_callers',
      summary: 'The clients that called the MCP server of the workspace on this server, latest first',
      response: McpCallers,
      handler: ({ scope }) => ({ callers: service.mcpCallers.list(scope.workspace_id) }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/console/api/usage',
      operationId: 'console_usage',
      summary: 'Usage by day, model, key and more',
      query: ConsoleUsageQuery,
      response: ConsoleUsage,
      handler: ({ scope, query }) => service.usage.read(scope, query),
    }),
    route({
      ...common,
      permission: 'prompts:read',
      method: 'GET',
      path: '/console/api/prompts/:prompt_id/uses',
      operationId: 'console_prompt_uses',
      summary: 'The agents that use this prompt as their model',
      params: PromptParams,
      response: PromptUses,
      handler: ({ scope, params }) => service.prompts.uses(scope, params.prompt_id),
    }),
    route({
      ...administrative,
      method: 'GET',
      path: '/console/api/limits',
      operationId: 'console_limits_list',
      summary: 'The limits of the organization, its workspaces, and the keys that have their own',
      response: ConsoleLimitsList,
      handler: ({ scope }) => service.limits.list(scope),
    }),
    route({
      ...administrative,
      method: 'PUT',
      path: '/console/api/limits/:scope/:id',
      operationId: 'console_limits_set',
      summary: 'Set limits; those that are left out stay unchanged',
      params: LimitParams,
      body: ConsoleLimitsChange,
      response: ConsoleLimits,
      handler: ({ scope, params, body }) => service.limits.set(scope, params, body),
    }),
    route({
      ...administrative,
      method: 'DELETE',
      path: '/console/api/limits/:scope/:id',
      operationId: 'console_limits_delete',
      summary: 'Return to the limits of the configuration',
      status: 204,
      params: LimitParams,
      handler: ({ scope, params }) => service.limits.clear(scope, params),
    }),
  ];
}

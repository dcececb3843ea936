import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_USE } from '../../tenants/index.ts';
import { ConsoleApprovals } from '../schema/approvals.ts';
import { ConsoleNames, NamesQuery } from '../schema/names.ts';
import { ConsoleSearch, SearchQuery } from '../schema/search.ts';
import type { ConsoleService } from '../service/console-service.ts';

export function findingRoutes(service: ConsoleService): AnyRoute[] {
  const common = { surface: 'console', permission: CONSOLE_USE, hidden: true, method: 'GET' } as const;
  return [
    route({
      ...common,
      path: '/console/api/names',
      operationId: 'console_names',
      summary: 'The names of people, keys, workspaces and agents, by their ids',
      query: NamesQuery,
      response: ConsoleNames,
      handler: ({ scope, query }) => service.names(scope, query.id),
    }),
    route({
      ...common,
      path: '/console/api/search',
      operationId: 'console_search',
      summary: 'Search everything in the workspace that you may read, by name, id or content',
      query: SearchQuery,
      response: ConsoleSearch,
      handler: ({ scope, query }) => service.search(scope, query.text),
    }),
    route({
      ...common,
      path: '/console/api/approvals',
      operationId: 'console_approvals',
      summary: 'What waits for you: questions of workflows, calls of tools, changed tools, findings in skills',
      response: ConsoleApprovals,
      handler: ({ scope }) => service.approvals(scope),
    }),
  ];
}

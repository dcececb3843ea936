import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Connector, PaginatedConnectors } from '../../../../src/connectors/schema/connectors.ts';
import type { ConsumerScope, CredentialsResponse } from '../../../../src/connectors/schema/credentials.ts';
import type { MCPTool, ReviewedTools } from '../../../../src/connectors/schema/tools.ts';
import type { ConnectorUses } from '../../../../src/connectors/schema/uses.ts';
import { api } from '../../api/api.ts';

export type { Connector, ConsumerScope, MCPTool };

export const connectorsKey = ['connectors'] as const;
export const pageSize = 50;
const TOOLS_MAX = 1000;

export const connectorPath = (id: string) => `/v1/connectors/${encodeURIComponent(id)}`;

export const connectorsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: [...connectorsKey, 'list', cursor],
    queryFn: ({ signal }) =>
      api.get<PaginatedConnectors>('/v1/connectors', { signal, query: { page_size: pageSize, cursor } }),
    placeholderData: keepPreviousData,
  });

export const connectorQuery = (id: string) =>
  queryOptions({
    queryKey: [...connectorsKey, 'one', id],
    queryFn: ({ signal }) => api.get<Connector>(connectorPath(id), { signal }),
  });

export const toolsQuery = (id: string) =>
  queryOptions({
    queryKey: [...connectorsKey, 'tools', id],
    queryFn: ({ signal }) =>
      api.get<MCPTool[]>(`${connectorPath(id)}/tools`, { signal, query: { page_size: TOOLS_MAX } }),
    retry: false,
  });

export const reviewQuery = (id: string) =>
  queryOptions({
    queryKey: [...connectorsKey, 'review', id],
    queryFn: ({ signal }) => api.get<ReviewedTools>(`${connectorPath(id)}/tools/review`, { signal }),
    retry: false,
  });

export const usesQuery = (id: string) =>
  queryOptions({
    queryKey: [...connectorsKey, 'uses', id],
    queryFn: ({ signal }) => api.get<ConnectorUses>(`${connectorPath(id)}/uses`, { signal }),
  });

export const credentialsQuery = (id: string, scope: ConsumerScope) =>
  queryOptions({
    queryKey: [...connectorsKey, 'credentials', id, scope],
    queryFn: ({ signal }) => api.get<CredentialsResponse>(`${connectorPath(id)}/${scope}/credentials`, { signal }),
  });

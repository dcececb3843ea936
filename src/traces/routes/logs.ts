import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  FieldParams,
  GetLogFieldOptions,
  GetLogFields,
  GetLogs,
  LogsRequest,
  PageQuery,
  TimeRange,
} from '../schema/wire.ts';
import type { TraceService } from '../service/trace-service.ts';

export function logRoutes(traces: TraceService): AnyRoute[] {
  const read = { tags: ['observability'], permission: 'observability:read' };
  return [
    route({
      ...read,
      method: 'POST',
      path: '/v1/observability/logs/search',
      operationId: 'search_logs_v1_observability_logs_search_post',
      summary: 'Search logs, newest or oldest first',
      query: PageQuery,
      body: LogsRequest,
      response: GetLogs,
      handler: async (call) => ({ logs: await traces.logs.search(call, call.query, call.body) }),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/logs/fields',
      operationId: 'get_log_fields_v1_observability_logs_fields_get',
      summary: 'List the fields of logs that can be searched',
      response: GetLogFields,
      handler: () => ({ field_definitions: traces.logs.listFields() }),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/logs/fields/:field_name/options',
      operationId: 'get_log_field_options_v1_observability_logs_fields__field_name__options_get',
      summary: 'List the values that a field of logs has, most frequent first',
      params: FieldParams,
      query: TimeRange,
      response: GetLogFieldOptions,
      handler: async (call) => ({ options: await traces.logs.listOptions(call, call.params.field_name, call.query) }),
    }),
  ];
}

import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import { traceErrors } from '../errors.ts';
import { toDefinition, toWireLog } from '../render.ts';
import { logFields } from '../schema/fields.ts';
import type { Feed, GetLog, LogsRequest, OtelFieldDefinition, PageQuery, TimeRange } from '../schema/wire.ts';
import { deleteLogsBefore, findNextLogs, type LogPosition, listLogOptions, searchLogs } from '../store/logs.ts';
import { DAY_US, toRange } from '../time-range.ts';
import { type Caller, type Search, toCondition } from './searches.ts';

const OPTIONS_MAX = 100;
const PRUNED_ROWS = 1000;

export type LogService = {
  search(caller: Caller, query: PageQuery, body: LogsRequest): Promise<Feed<GetLog>>;
  listFields(): OtelFieldDefinition[];
  listOptions(caller: Caller, name: string, range: TimeRange): Promise<string[] | null>;
  prune(): Promise<void>;
};

export function createLogService(ports: {
  database: Database;
  now: Clock;
  tokens: PageTokens;
  retentionUs: number;
  search: Search;
}): LogService {
  const { database, now, tokens, retentionUs } = ports;
  const { db, kind } = database;
  return {
    async search(caller, query, { search_expression, order }) {
      const { workspace_id } = caller.scope;
      const expression = search_expression ?? '';
      const question = ['logs', workspace_id, query.from ?? '', query.to ?? '', expression, order];
      const rows = await ports.search(
        caller,
        searchLogs(db, kind, {
          ...{ workspaceId: workspace_id, ...toRange(query, now(), retentionUs) },
          condition: toCondition(expression, logFields),
          isAscending: order === 'asc',
          after: query.cursor ? (tokens.read(question, query.cursor) as LogPosition) : undefined,
          limit: query.page_size + 1,
        }),
      );
      const page = rows.slice(0, query.page_size);
      const last = rows.length > query.page_size ? page.at(-1) : undefined;
      const cursor = last ? tokens.write(question, { timeUs: last.time_us, logId: last.log_id }) : null;
      const path = `/v1/observability/logs/search?page_size=${query.page_size}`;
      const next = cursor && `${path}&cursor=${encodeURIComponent(cursor)}`;
      return { results: page.map(toWireLog), next, cursor };
    },
    listFields: () => logFields.map(toDefinition),
    async listOptions(caller, name, range) {
      const field = logFields.find((one) => one.name === name);
      if (!field) throw traceErrors.field_not_found(name);
      if (field.type !== 'ENUM' && field.type !== 'TEXT') return null;
      const searched = { workspaceId: caller.scope.workspace_id, ...toRange(range, now(), DAY_US) };
      const rows = await ports.search(caller, listLogOptions(db, kind, searched, field, OPTIONS_MAX));
      return rows.flatMap(({ value }) => (value ? [value] : []));
    },
    async prune() {
      const beforeUs = now() * 1000 - retentionUs;
      for (let id = await findNextLogs(db, ''); id !== undefined; id = await findNextLogs(db, id)) {
        const workspaceId = id;
        while (await database.transaction((tx) => deleteLogsBefore(tx, workspaceId, beforeUs, PRUNED_ROWS)));
      }
    },
  };
}

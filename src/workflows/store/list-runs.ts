import { sql } from 'kysely';
import type { Db } from '../../kit/db/index.ts';
import type { ExecutionStatus } from '../schema/statuses.ts';
import type { RunRow } from './run-tables.ts';

export type ListRuns = {
  workflowName?: string;
  workflowId?: string;
  rootExecutionId?: string;
  search?: string;
  statuses?: ExecutionStatus[];
  deploymentName?: string;
  userId?: string;
  /** For filters on other tables, such as tags. */
  workflowIds?: string[];
  excludedWorkflowIds?: string[];
  searchKeys?: { key: string; value: string }[];
  startedAfter?: string;
  startedBefore?: string;
  endedAfter?: string;
  endedBefore?: string;
  sortBy: 'start_time' | 'end_time';
  order: 'asc' | 'desc';
  limit: number;
  after?: string;
};

/** A list shows no results, which may be large. */
const LISTED = [
  'run_id',
  'execution_id',
  'workflow_id',
  'workflow_name',
  'registration_id',
  'deployment_name',
  'root_execution_id',
  'parent_execution_id',
  'user_id',
  'schedule_id',
  'status',
  'started_at',
  'ended_at',
] as const;
export type ListedRun = Pick<RunRow, (typeof LISTED)[number]>;

/** `after` is the position of the last run of the previous page. */
export async function listRuns(
  db: Db,
  workspaceId: string,
  filter: ListRuns,
): Promise<{ rows: ListedRun[]; next?: string }> {
  const column = filter.sortBy === 'start_time' ? 'started_at' : 'ended_at';
  const isAscending = filter.order === 'asc';
  let query = db
    .selectFrom('workflow_runs')
    .select(LISTED)
    .where('workspace_id', '=', workspaceId)
    .orderBy(column, filter.order)
    .orderBy('run_id', filter.order)
    .limit(filter.limit + 1);
  if (column === 'ended_at') query = query.where('ended_at', 'is not', null);
  const position = filter.after === undefined ? undefined : parsePosition(filter.after);
  if (position)
    query = query.where(({ eb, or, and }) =>
      or([
        eb(column, isAscending ? '>' : '<', position.at),
        and([eb(column, '=', position.at), eb('run_id', isAscending ? '>' : '<', position.runId)]),
      ]),
    );
  const equals = {
    workflow_name: filter.workflowName,
    workflow_id: filter.workflowId,
    root_execution_id: filter.rootExecutionId,
    deployment_name: filter.deploymentName,
    user_id: filter.userId,
  } as const;
  for (const [name, value] of Object.entries(equals))
    if (value !== undefined) query = query.where(name as keyof typeof equals, '=', value);
  if (filter.statuses) query = query.where('status', 'in', filter.statuses);
  if (filter.workflowIds) query = query.where('workflow_id', 'in', filter.workflowIds);
  if (filter.excludedWorkflowIds && filter.excludedWorkflowIds.length > 0)
    query = query.where('workflow_id', 'not in', filter.excludedWorkflowIds);
  if (filter.startedAfter !== undefined) query = query.where('started_at', '>=', filter.startedAfter);
  if (filter.startedBefore !== undefined) query = query.where('started_at', '<=', filter.startedBefore);
  if (filter.endedAfter !== undefined) query = query.where('ended_at', '>=', filter.endedAfter);
  if (filter.endedBefore !== undefined) query = query.where('ended_at', '<=', filter.endedBefore);
  if (filter.search !== undefined) {
    const pattern = contains(filter.search);
    query = query.where(({ or }) =>
      or(
        (['execution_id', 'workflow_name', 'display_name'] as const).map(
          (name) => sql<boolean>`lower(${sql.ref(name)}) like ${pattern} escape '\\'`,
        ),
      ),
    );
  }
  for (const { key, value } of filter.searchKeys ?? [])
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('workflow_search_keys')
          .select('workflow_search_keys.run_id')
          .whereRef('workflow_search_keys.run_id', '=', 'workflow_runs.run_id')
          .where('workflow_search_keys.key', '=', key)
          .where(sql<boolean>`lower(workflow_search_keys.value) like ${contains(value)} escape '\\'`),
      ),
    );
  const rows = await query.execute();
  const page = rows.slice(0, filter.limit);
  const last = page.at(-1);
  return {
    rows: page,
    ...(rows.length > filter.limit && last ? { next: positionAt(last[column], last.run_id) } : {}),
  };
}

/** Where the page after this run begins. */
export function positionAt(time: string | null, runId: string): string {
  return `${time}/${runId}`;
}

function parsePosition(after: string): { at: string; runId: string } | undefined {
  const [at, runId] = after.split('/');
  return at !== undefined && runId !== undefined ? { at, runId } : undefined;
}

function contains(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`;
}

import { sql } from 'kysely';
import { ownTurn } from '../../kit/base/own-turn.ts';
import type { Db } from '../../kit/db/index.ts';
import type { ExecutionStatus } from '../schema/statuses.ts';
import type { RunRow } from './run-tables.ts';
import { runIdsOfTree } from './trees.ts';

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

const LOOKS = {
  /** Runs are looked through in steps: SQLite answers at once, and nobody else would be served meanwhile. */
  step: 5000,
  /** A page that is not full after so many runs ends there, with the position to go on from. */
  most: 100_000,
};

type Position = { at: string; runId: string };

/** `after` is the position of the last run of the previous page. */
export async function listRuns(
  db: Db,
  workspaceId: string,
  filter: ListRuns,
  looks = LOOKS,
): Promise<{ rows: ListedRun[]; next?: string }> {
  const { limit } = filter;
  const column = columnOf(filter);
  let after = filter.after === undefined ? undefined : parsePosition(filter.after);
  if (!isPicky(filter))
    return cut(
      await picked(db, workspaceId, filter, after)
        .limit(limit + 1)
        .execute(),
      column,
      limit,
    );
  const rows: ListedRun[] = [];
  for (let looked = 0; looked < looks.most; looked += looks.step) {
    const step = ordered(db, workspaceId, filter, after);
    const end = await step
      .select(['run_id', column])
      .offset(looks.step - 1)
      .limit(1)
      .executeTakeFirst();
    const until = end && { at: String(end[column]), runId: end.run_id };
    const query = picked(db, workspaceId, filter, after, until);
    rows.push(...(await query.limit(limit + 1 - rows.length).execute()));
    if (rows.length > limit || !until) return cut(rows, column, limit);
    after = until;
    await ownTurn();
  }
  return { rows, ...(after ? { next: positionAt(after.at, after.runId) } : {}) };
}

function cut(rows: ListedRun[], column: 'started_at' | 'ended_at', limit: number) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, ...(rows.length > limit && last ? { next: positionAt(last[column], last.run_id) } : {}) };
}

const columnOf = ({ sortBy }: ListRuns) => (sortBy === 'start_time' ? ('started_at' as const) : ('ended_at' as const));

/** Whether a filter may pass over many runs that no index leaves out. */
function isPicky({ search, searchKeys, statuses, userId, deploymentName, workflowIds }: ListRuns): boolean {
  return [search, searchKeys, statuses, userId, deploymentName, workflowIds].some((value) => value !== undefined);
}

/** Runs in their order, after a position and up to another one, by what indexes know. */
function ordered(db: Db, workspaceId: string, filter: ListRuns, after?: Position, until?: Position) {
  const column = columnOf(filter);
  const isAscending = filter.order === 'asc';
  let query = db.selectFrom('workflow_runs').orderBy(column, filter.order).orderBy('run_id', filter.order);
  const { workflowId, rootExecutionId } = filter;
  // Both are in one workspace, whose index has the order of the list: SQLite would walk through all of its runs.
  if (workflowId !== undefined) query = query.where(isOfWorkflow(workspaceId, workflowId));
  if (rootExecutionId !== undefined) {
    const tree = { workspace_id: workspaceId, root_execution_id: rootExecutionId };
    query = query.where(sql<boolean>`run_id in (${runIdsOfTree(tree)})`);
  }
  if (workflowId === undefined && rootExecutionId === undefined) query = query.where('workspace_id', '=', workspaceId);
  if (column === 'ended_at') query = query.where('ended_at', 'is not', null);
  // Pairs are compared as one, which both databases find in the index; with "or" they would walk to the position.
  const place = sql`(${sql.ref(column)}, run_id)`;
  if (after)
    query = query.where(sql<boolean>`${place} ${sql.raw(isAscending ? '>' : '<')} (${after.at}, ${after.runId})`);
  if (until)
    query = query.where(sql<boolean>`${place} ${sql.raw(isAscending ? '<=' : '>=')} (${until.at}, ${until.runId})`);
  if (filter.startedAfter !== undefined) query = query.where('started_at', '>=', filter.startedAfter);
  if (filter.startedBefore !== undefined) query = query.where('started_at', '<=', filter.startedBefore);
  if (filter.endedAfter !== undefined) query = query.where('ended_at', '>=', filter.endedAfter);
  if (filter.endedBefore !== undefined) query = query.where('ended_at', '<=', filter.endedBefore);
  return query;
}

/** Of these, the ones that all filters let through. */
function picked(db: Db, workspaceId: string, filter: ListRuns, after?: Position, until?: Position) {
  let query = ordered(db, workspaceId, filter, after, until).select(LISTED);
  const equals = {
    workflow_name: filter.workflowName,
    deployment_name: filter.deploymentName,
    user_id: filter.userId,
  } as const;
  for (const [name, value] of Object.entries(equals))
    if (value !== undefined) query = query.where(name as keyof typeof equals, '=', value);
  if (filter.statuses) query = query.where('status', 'in', filter.statuses);
  if (filter.workflowIds) query = query.where('workflow_id', 'in', filter.workflowIds);
  if (filter.excludedWorkflowIds && filter.excludedWorkflowIds.length > 0)
    query = query.where('workflow_id', 'not in', filter.excludedWorkflowIds);
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
  return query;
}

/** By the index of workflows, whose ids are unique: the workspace is compared in a way that no index knows. */
export function isOfWorkflow(workspaceId: string, workflowId: string) {
  return sql<boolean>`workflow_id = ${workflowId} and workspace_id || '' = ${workspaceId}`;
}

/** Where the page after this run begins. */
export function positionAt(time: string | null, runId: string): string {
  return `${time}/${runId}`;
}

function parsePosition(after: string): Position | undefined {
  const [at, runId] = after.split('/');
  return at !== undefined && runId !== undefined ? { at, runId } : undefined;
}

function contains(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`;
}

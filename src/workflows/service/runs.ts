import type { Database } from '../../kit/db/index.ts';
import { type PageTokens, type Scope, type StreamedJson, streamedObject } from '../../kit/http/index.ts';
import type { WorkflowEngine } from '../engines/port/engine.ts';
import { parseCursor, workflowErrors } from '../errors.ts';
import type { RunsQuery, WorkflowExecutionListResponse, WorkflowExecutionResponse } from '../schema/executions.ts';
import { showExecution, showWithoutResult } from '../show-execution.ts';
import { showHistoryEvent } from '../show-history.ts';
import type { ListRuns } from '../store/list-runs.ts';
import { searchRuns } from '../store/search-runs.ts';
import { findWorkflow, listTagged, listTechnical } from '../store/workflows.ts';

/** Payloads of up to 2 MiB come with the events: first a few, then more while they are small. */
const HISTORY_EVENTS_FIRST = 32;
const HISTORY_EVENTS_MAX = 1024;
const SMALL_CHARACTERS_MAX = 256 * 1024;
/** Stands for the user of the key. */
const CURRENT_USER = 'current';

export type RunService = {
  list(scope: Scope, query: RunsQuery): Promise<WorkflowExecutionListResponse>;
  /** The newest ones whose id or workflow has the text. */
  search(scope: Scope, text: string, limit: number): ReturnType<typeof searchRuns>;
  get(scope: Scope, runId: string): Promise<WorkflowExecutionResponse>;
  history(scope: Scope, runId: string, decode: boolean): Promise<StreamedJson<unknown>>;
  executionHistory(scope: Scope, executionId: string, decode: boolean): Promise<StreamedJson<unknown>>;
};

export function createRuns(deps: { database: Database; engine: WorkflowEngine; tokens: PageTokens }): RunService {
  const { database, engine, tokens } = deps;

  async function filterOf(scope: Scope, query: RunsQuery): Promise<Omit<ListRuns, 'after'>> {
    const { workflow_identifier, user_id } = query;
    const workflow =
      workflow_identifier === undefined
        ? undefined
        : await findWorkflow(database.db, scope.workspace_id, workflow_identifier);
    if (workflow_identifier !== undefined && !workflow) throw workflowErrors.workflow_not_found(workflow_identifier);
    return {
      ...(workflow ? { workflowId: workflow.id } : {}),
      ...optional('rootExecutionId', query.root_execution_id),
      ...optional('search', query.search),
      ...optional('statuses', query.status),
      ...optional('deploymentName', query.deployment_name),
      ...optional('userId', user_id === CURRENT_USER ? scope.user_id : user_id),
      ...optional(
        'workflowIds',
        query.workflow_tags && (await listTagged(database.db, scope.workspace_id, query.workflow_tags)),
      ),
      ...optional('startedAfter', query.start_time_after),
      ...optional('startedBefore', query.start_time_before),
      ...optional('endedAfter', query.end_time_after),
      ...optional('endedBefore', query.end_time_before),
      ...optional('searchKeys', query.search_key?.map(searchKeyOf)),
      ...(query.include_internal ? {} : { excludedWorkflowIds: await listTechnical(database.db, scope.workspace_id) }),
      sortBy: query.sort_by ?? 'start_time',
      order: query.order,
      limit: query.page_size,
    };
  }

  async function* historyGroups(scope: Scope, runId: string, decode: boolean): AsyncGenerator<unknown[]> {
    let limit = HISTORY_EVENTS_FIRST;
    for (let after = 0; ; ) {
      const page = await engine.history(scope.workspace_id, runId, after, limit);
      const last = page.at(-1);
      if (!last) return;
      const shown = page.map((event) => showHistoryEvent(event, decode));
      yield shown;
      after = last.id;
      limit =
        JSON.stringify(shown).length > SMALL_CHARACTERS_MAX
          ? HISTORY_EVENTS_FIRST
          : Math.min(limit * 2, HISTORY_EVENTS_MAX);
    }
  }

  return {
    async list(scope, query) {
      const { next_page_token, page_size: _size, ...choice } = query;
      const question = ['workflow-runs', scope.workspace_id, JSON.stringify(choice)];
      const after = parseCursor(tokens, question, next_page_token, 'next_page_token') as string | undefined;
      const filter = await filterOf(scope, query);
      if (filter.workflowIds?.length === 0) return { executions: [], next_page_token: null };
      const { executions, next } = await engine.list(scope.workspace_id, { ...filter, ...optional('after', after) });
      return {
        executions: executions.map(showWithoutResult),
        next_page_token: next === undefined ? null : tokens.write(question, next),
      };
    },

    search: ({ workspace_id }, text, limit) => searchRuns(database.db, workspace_id, text, limit),

    async get(scope, runId) {
      const execution = await engine.getByRun(scope.workspace_id, runId);
      if (!execution) throw workflowErrors.run_not_found(runId);
      return showExecution(execution);
    },

    async history(scope, runId, decode) {
      if (!(await engine.getByRun(scope.workspace_id, runId))) throw workflowErrors.run_not_found(runId);
      return streamedObject({}, 'events', historyGroups(scope, runId, decode));
    },

    async executionHistory(scope, executionId, decode) {
      const execution = await engine.get(scope.workspace_id, executionId);
      if (!execution) throw workflowErrors.execution_not_found(executionId);
      return streamedObject({}, 'events', historyGroups(scope, execution.runId, decode));
    },
  };
}

function optional<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]?: V });
}

function searchKeyOf(text: string): { key: string; value: string } {
  const at = text.indexOf(':');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

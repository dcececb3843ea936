import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { PageTokens, Scope } from '../../kit/http/index.ts';
import { aliveSince } from '../alive-since.ts';
import { parseCursor, workflowErrors } from '../errors.ts';
import { findByText } from '../find-by-text.ts';
import type {
  RegistrationQuery,
  RegistrationsQuery,
  WorkflowRegistrationGetResponse,
  WorkflowRegistrationListResponse,
} from '../schema/workflows.ts';
import { showRegistration } from '../show-workflow.ts';
import { findRegistration, listActive, listRegistrationPage } from '../store/registrations.ts';
import { listWorkflowsById, type WorkflowRow } from '../store/workflows.ts';

export type RegistrationService = {
  list(scope: Scope, query: RegistrationsQuery): Promise<WorkflowRegistrationListResponse>;
  get(scope: Scope, id: string, query: RegistrationQuery): Promise<WorkflowRegistrationGetResponse>;
};

type Position = { created_at: string; id: string };

export function createRegistrations(deps: { database: Database; tokens: PageTokens; now: Clock }): RegistrationService {
  const { database, tokens, now } = deps;
  const { db } = database;

  async function workflowsById(scope: Scope, ids: string[]): Promise<Map<string, WorkflowRow>> {
    const rows = ids.length === 0 ? [] : await listWorkflowsById(db, scope.workspace_id, [...new Set(ids)]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  async function activeIds(scope: Scope): Promise<string[]> {
    const active = await listActive(db, scope.workspace_id, aliveSince(now));
    return active.map(({ registration_id }) => registration_id);
  }

  async function workflowIds(scope: Scope, { workflow_id, workflow_search }: RegistrationsQuery) {
    if (workflow_search === undefined) return workflow_id === undefined ? undefined : [workflow_id];
    const found = await findByText(db, scope.workspace_id, workflow_search);
    return [...found].filter((id) => workflow_id === undefined || id === workflow_id);
  }

  return {
    async list(scope, query) {
      const { cursor, limit, with_workflow, ...filters } = query;
      const question = ['registrations', scope.workspace_id, JSON.stringify(filters)];
      const { rows: page, hasMore } = await listRegistrationPage(database, scope.workspace_id, {
        workflowIds: await workflowIds(scope, query),
        ids: query.active_only ? await activeIds(scope) : undefined,
        deploymentName: query.task_queue,
        archived: query.archived,
        availableInChatAssistant: query.available_in_chat_assistant,
        after: parseCursor(tokens, question, cursor) as Position | undefined,
        limit,
      });
      const last = page.at(-1);
      const workflows = with_workflow
        ? await workflowsById(
            scope,
            page.map(({ workflow_id }) => workflow_id),
          )
        : undefined;
      const shown = page.map((row) => showRegistration(row, workflows?.get(row.workflow_id)));
      const next = hasMore && last ? { created_at: last.created_at, id: last.id } : undefined;
      return {
        workflow_registrations: shown,
        next_cursor: next ? tokens.write(question, next) : null,
        workflow_versions: shown,
      };
    },

    async get(scope, id, { with_workflow }) {
      const row = await findRegistration(db, scope.workspace_id, id);
      if (!row) throw workflowErrors.workflow_registration_not_found(id);
      const workflow = with_workflow ? (await workflowsById(scope, [row.workflow_id])).get(row.workflow_id) : undefined;
      const shown = { ...showRegistration(row, workflow), active: (await activeIds(scope)).includes(id) };
      return { workflow_registration: shown, workflow_version: shown };
    },
  };
}

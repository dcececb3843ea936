import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { PageTokens, Scope } from '../../kit/http/index.ts';
import { aliveSince } from '../alive-since.ts';
import { parseCursor, workflowErrors } from '../errors.ts';
import { findByText } from '../find-by-text.ts';
import type { RecordChange } from '../record-change.ts';
import {
  TAGS_MAX,
  type Workflow,
  type WorkflowBulkError,
  type WorkflowGetResponse,
  type WorkflowListResponse,
  type WorkflowsQuery,
  type WorkflowUpdateRequest,
} from '../schema/workflows.ts';
import { showBasic, showWorkflow } from '../show-workflow.ts';
import { listActive, listWorkflowsOfDeployments } from '../store/registrations.ts';
import { listWorkflowsWithStatus } from '../store/runs.ts';
import {
  findWorkflow,
  listWorkflows,
  listWorkflowsNamed,
  updateWorkflow,
  type WorkflowRow,
} from '../store/workflows.ts';

export type WorkflowCatalogue = {
  list(scope: Scope, query: WorkflowsQuery): Promise<WorkflowListResponse>;
  get(scope: Scope, identifier: string): Promise<WorkflowGetResponse>;
  update(scope: Scope, identifier: string, request: WorkflowUpdateRequest): Promise<{ workflow: Workflow }>;
  addTags(scope: Scope, identifier: string, tags: string[]): Promise<undefined>;
  setArchived(scope: Scope, identifier: string, archived: boolean): Promise<{ workflow: Workflow }>;
  setManyArchived(
    scope: Scope,
    ids: string[],
    archived: boolean,
  ): Promise<{ changed: Workflow[]; errored: WorkflowBulkError[] }>;
};

type Position = { display_name: string; id: string };

const TOO_MANY_TAGS = `A workflow has at most ${TAGS_MAX} tags`;

export function createCatalogue(deps: {
  database: Database;
  tokens: PageTokens;
  record: RecordChange;
  now: Clock;
}): WorkflowCatalogue {
  const { database, tokens, record, now } = deps;
  const { db } = database;

  async function mustFind(scope: Scope, identifier: string): Promise<WorkflowRow> {
    const row = await findWorkflow(db, scope.workspace_id, identifier);
    if (!row) throw workflowErrors.workflow_not_found(identifier);
    return row;
  }

  /** The workflow ids that match the search and the filters on other tables; undefined without such filters. */
  async function narrow(scope: Scope, query: WorkflowsQuery): Promise<{ ids?: string[]; notIds?: string[] }> {
    const { workspace_id } = scope;
    const sets: Set<string>[] = [];
    let notIds: string[] | undefined;
    const state = query.active_only ? 'active' : query.deployment_status;
    const inDeployments = query.deployment_name;
    if (inDeployments) sets.push(new Set(await listWorkflowsOfDeployments(db, workspace_id, inDeployments)));
    if (state) {
      const active = await listActive(db, workspace_id, aliveSince(now));
      const fitting = inDeployments
        ? active.filter(({ deployment_name }) => inDeployments.includes(deployment_name))
        : active;
      const ids = new Set(fitting.map(({ workflow_id }) => workflow_id));
      if (state === 'active') sets.push(ids);
      else notIds = [...ids];
    }
    if (query.status) sets.push(new Set(await listWorkflowsWithStatus(db, workspace_id, query.status)));
    if (query.search) sets.push(await findByText(db, workspace_id, query.search));
    const [first, ...others] = sets;
    const ids = first && [...first].filter((id) => others.every((set) => set.has(id)));
    return { ...(ids ? { ids } : {}), ...(notIds ? { notIds } : {}) };
  }

  async function changeArchived(scope: Scope, rows: WorkflowRow[], archived: boolean): Promise<Workflow[]> {
    const changing = rows.filter((row) => row.archived !== archived);
    if (changing.length > 0)
      await database.transaction(async (tx) => {
        for (const { id } of changing)
          await updateWorkflow(tx, scope.workspace_id, id, { archived, updated_at: isoMicros(now) });
        for (const { id } of changing)
          await record(tx, scope, archived ? 'workflow.archive' : 'workflow.unarchive', id);
      });
    return rows.map((row) => showWorkflow({ ...row, archived }));
  }

  return {
    async list(scope, query) {
      const { cursor, limit, order, ...filters } = query;
      const question = ['workflows', scope.workspace_id, JSON.stringify({ order, ...filters })];
      const after = parseCursor(tokens, question, cursor) as Position | undefined;
      const rows = await listWorkflows(db, scope.workspace_id, {
        archived: query.archived,
        availableInChatAssistant: query.available_in_chat_assistant,
        tags: query.tags,
        ...(await narrow(scope, query)),
        after,
        order,
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const next = rows.length > limit && last ? { display_name: last.display_name, id: last.id } : undefined;
      return { workflows: page.map(showBasic), next_cursor: next ? tokens.write(question, next) : null };
    },

    async get(scope, identifier) {
      const row = await mustFind(scope, identifier);
      const active = await listActive(db, scope.workspace_id, aliveSince(now));
      return { workflow: { ...showWorkflow(row), active: active.some(({ workflow_id }) => workflow_id === row.id) } };
    },

    async update(scope, identifier, request) {
      const row = await mustFind(scope, identifier);
      const change = changeOf(row, request);
      if (Object.keys(change).length === 0) return { workflow: showWorkflow(row) };
      await database.transaction(async (tx) => {
        await updateWorkflow(tx, scope.workspace_id, row.id, { ...change, updated_at: isoMicros(now) });
        await record(tx, scope, 'workflow.update', row.id, { fields: Object.keys(request).join(',') });
      });
      return { workflow: showWorkflow({ ...row, ...change }) };
    },

    async addTags(scope, identifier, tags) {
      const { id } = await mustFind(scope, identifier);
      await database.transaction(async (tx) => {
        // Writing first holds the row, so that of two callers neither loses the tags of the other.
        await updateWorkflow(tx, scope.workspace_id, id, { updated_at: isoMicros(now) });
        const row = await findWorkflow(tx, scope.workspace_id, id);
        if (!row) throw workflowErrors.workflow_not_found(identifier);
        const all = [...new Set([...row.tags, ...tags])];
        if (all.length > TAGS_MAX) throw workflowErrors.workflow_tags_too_many(['body', 'tags'], TOO_MANY_TAGS, tags);
        if (all.length === row.tags.length) return;
        await updateWorkflow(tx, scope.workspace_id, id, { tags: all });
        await record(tx, scope, 'workflow.update', id, { fields: 'tags' });
      });
      return undefined;
    },

    async setArchived(scope, identifier, archived) {
      const [workflow] = await changeArchived(scope, [await mustFind(scope, identifier)], archived);
      if (!workflow) throw workflowErrors.workflow_not_found(identifier);
      return { workflow };
    },

    async setManyArchived(scope, identifiers, archived) {
      const named = [...new Set(identifiers)];
      const rows = named.length === 0 ? [] : await listWorkflowsNamed(db, scope.workspace_id, named);
      const byId = new Map(rows.map((row) => [row.id, row]));
      const byName = new Map(rows.map((row) => [row.name, row]));
      const find = (identifier: string) => byName.get(identifier) ?? byId.get(identifier);
      const found = new Set(named.flatMap((identifier) => find(identifier) ?? []));
      const errored = named
        .filter((identifier) => !find(identifier))
        .map((id) => ({ workflow_id: id, workflow: null, message: workflowErrors.workflow_not_found(id).message }));
      return { changed: await changeArchived(scope, [...found], archived), errored };
    },
  };
}

/** Missing or null fields stay unchanged; tags replace the list. */
function changeOf(row: WorkflowRow, request: WorkflowUpdateRequest): Partial<WorkflowRow> {
  const { display_name, description, available_in_chat_assistant, tags } = request;
  const change: Partial<WorkflowRow> = {
    ...(display_name == null ? {} : { display_name, display_name_edited: true }),
    ...(description == null ? {} : { description, description_edited: true }),
    ...(available_in_chat_assistant == null ? {} : { available_in_chat_assistant }),
    ...(tags == null ? {} : { tags: [...new Set(tags)] }),
  };
  const differs = ([key, value]: [string, unknown]) =>
    JSON.stringify(row[key as keyof WorkflowRow]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(change).filter(differs));
}

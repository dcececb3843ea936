import type { AgentService } from '../agents/index.ts';
import type { ConnectorService } from '../connectors/index.ts';
import type { ApprovalSource, SearchSource } from '../console/index.ts';
import type { ConversationService } from '../conversations/index.ts';
import type { FileService } from '../files/index.ts';
import type { LibraryService } from '../libraries/index.ts';
import type { ModelService } from '../models/index.ts';
import type { PromptService } from '../prompts/index.ts';
import type { SkillService } from '../skills/index.ts';
import type { WorkflowService } from '../workflows/index.ts';

/** The rooms that the console searches, and in which something may wait for a person. */
export type SearchedRooms = {
  agents: AgentService;
  prompts: PromptService;
  skills: SkillService;
  models: ModelService;
  conversations: ConversationService;
  workflows: WorkflowService;
  files: FileService;
  libraries: LibraryService;
  connectors: ConnectorService;
};

/** Set by the worker while an execution waits for input. */
const WAITS_FOR_INPUT = 'internal.execution.state:waiting_for_input';

export function searchSources(rooms: SearchedRooms): SearchSource[] {
  const { agents, prompts, skills, models, conversations, workflows, files, libraries } = rooms;
  const registered =
    (room: PromptService | SkillService) =>
    async (...args: Parameters<SearchSource['search']>) =>
      (await room.search(...args)).map(({ title, name, ...found }) => ({ ...found, name: title || name }));
  return [
    { kind: 'prompt', permission: 'prompts:read', search: registered(prompts) },
    { kind: 'skill', permission: 'skills:read', search: registered(skills) },
    {
      kind: 'agent',
      permission: 'agents:read',
      search: async (...args) =>
        (await agents.search(...args)).map(({ id, name, description, created_at: at }) => ({
          ...{ id, name, at },
          detail: description,
        })),
    },
    {
      kind: 'conversation',
      permission: 'conversations:read',
      async search(scope, text, limit) {
        const found = await conversations.overview.search(scope, text, limit);
        const unnamed = found.filter(({ name }) => !name).map(({ id }) => id);
        const titles = await conversations.overview.titles(scope, unnamed);
        return found.map((one) => ({ ...one, name: one.name || titles[one.id] || 'Untitled conversation' }));
      },
    },
    {
      kind: 'execution',
      permission: 'workflows:read',
      search: async (...args) =>
        (await workflows.runs.search(...args)).map(({ execution_id: id, workflow_name, status, started_at: at }) => ({
          ...{ id, at, name: id },
          detail: `${workflow_name}, ${status.toLowerCase().replaceAll('_', ' ')}`,
        })),
    },
    {
      kind: 'workflow',
      permission: 'workflows:read',
      async search(scope, search, limit) {
        const choice = { include_shared: true, archived: false, order: 'asc', active_only: false } as const;
        const found = await workflows.catalogue.list(scope, { ...choice, search, limit });
        return found.workflows.map(({ name, display_name, description }) => ({
          ...{ id: name, name: display_name || name, at: null },
          detail: description ?? '',
        }));
      },
    },
    {
      kind: 'file',
      permission: 'files:read',
      search: async (...args) =>
        (await files.search(...args)).map(({ id, filename: name, purpose, created_at }) => ({
          ...{ id, name, detail: purpose, at: created_at },
        })),
    },
    {
      kind: 'library',
      permission: 'libraries:read',
      search: async (...args) =>
        (await libraries.libraries.search(...args)).map(({ id, name, description, updated_at: at }) => ({
          ...{ id, name, at },
          detail: description ?? '',
        })),
    },
    {
      kind: 'model',
      permission: 'models:read',
      search: (scope, text, limit) =>
        models
          .served(scope.workspace_id)
          .filter(({ id, aliases }) => [id, ...aliases].some((name) => name.toLowerCase().includes(text.toLowerCase())))
          .slice(0, limit)
          .map(({ id, aliases }) => ({ id, name: id, detail: aliases.join(', '), at: null })),
    },
  ];
}

export function approvalSources({ workflows, conversations, connectors, skills }: SearchedRooms): ApprovalSource[] {
  return [
    {
      kind: 'workflow_input',
      permission: 'workflows:execute',
      async list(scope, limit) {
        const { executions } = await workflows.runs.list(scope, {
          ...{ status: ['RUNNING'], search_key: [WAITS_FOR_INPUT], order: 'desc' },
          ...{ include_internal: true, page_size: limit },
        });
        return executions.map(({ execution_id: id, workflow_name, start_time: since }) => ({
          ...{ id, since, version: null },
          title: `${workflow_name} asks a question`,
          detail: id,
        }));
      },
    },
    {
      kind: 'tool_confirmation',
      permission: 'conversations:write',
      async list(scope, limit) {
        const pending = await conversations.overview.pending(scope, limit);
        const titles = await conversations.overview.titles(scope, [...new Set(pending.map(({ id }) => id))]);
        return pending.map(({ id, name, tool, at: since }) => ({
          ...{ id, since, version: null },
          title: `The tool ${tool} wants to run`,
          detail: name || titles[id] || id,
        }));
      },
    },
    {
      kind: 'connector_tool',
      permission: 'connectors:write',
      list: async (scope, limit) =>
        (await connectors.tools.held(scope, limit)).map(({ connector_id: id, connector, tool, held_at: since }) => ({
          ...{ id, since, version: null },
          title: `The tool ${tool} of ${connector} has changed`,
          detail: 'It is held back until somebody looks at it.',
        })),
    },
    {
      kind: 'skill_findings',
      permission: 'skills:write',
      list: async (scope, limit) =>
        (await skills.reviews.waiting(scope, limit)).map(({ skill_id: id, name, version, rules, found_at: since }) => ({
          ...{ id, since, version },
          title: `Version ${version} of ${name} has findings`,
          detail: rules.join(', '),
        })),
    },
  ];
}

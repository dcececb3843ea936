import { randomUUID } from 'node:crypto';
import type { Place } from './places.ts';
import { MODEL, type World } from './worlds.ts';

type Body = Record<string, unknown> | unknown[];

const messages = [{ role: 'user', content: 'x' }];
/** Leaves the field out where the tested id is within it. */
const unless = (at: Place | undefined, field: string, value: unknown) =>
  at?.way[0] === field ? {} : { [field]: value };
const tools = (at: Place | undefined) => (at?.way[0] === 'tools' ? { tools: [{ type: 'connector' }] } : {});
const mcp = (at: Place | undefined) => (at?.way[0] === 'tools' ? { tools: [{ type: 'mcp', server_label: 'x' }] } : {});
const schedule = { input: {}, cron_expressions: ['0 0 1 1 *'] };
const place = (own: World) => ({ deployment_name: own.ids.deployment, worker_name: 'worker' });
const runOf = (own: World) => ({
  workflow_exec_id: own.ids.execution,
  root_workflow_exec_id: own.ids.execution,
  workflow_run_id: own.ids.run,
  workflow_name: own.ids.workflowName,
});
const event = (own: World) => ({
  ...runOf(own),
  event_id: 'e',
  event_timestamp: 1,
  event_type: 'CUSTOM_TASK_STARTED',
  attributes: { custom_task_id: 'c', custom_task_type: 't' },
});

/** What a body needs beyond its schema to be a realistic request. */
export const bodies: Record<string, (own: World, at: Place | undefined) => Body> = {
  chat_completion_v1_chat_completions_post: (_, at) => ({
    model: MODEL,
    ...tools(at),
    ...unless(at, 'messages', messages),
  }),
  chat_moderations_v1_chat_moderations_post: (_, at) => ({ model: MODEL, ...unless(at, 'input', messages) }),
  chat_classifications_v1_chat_classifications_post: (_, at) => ({
    model: MODEL,
    ...unless(at, 'input', { messages }),
  }),
  agents_completion_v1_agents_completions_post: (own, at) => ({
    agent_id: own.ids.agent,
    ...tools(at),
    ...unless(at, 'messages', messages),
  }),
  create_response_v1_responses_post: (_, at) => ({ model: MODEL, ...unless(at, 'input', 'x') }),
  count_response_input_tokens_v1_responses_input_tokens_post: (_, at) => ({
    model: MODEL,
    ...unless(at, 'input', 'x'),
  }),
  openai_responses_create: (_, at) => ({ model: MODEL, ...mcp(at), ...unless(at, 'input', 'x') }),
  openai_responses_input_tokens: (_, at) => ({ model: MODEL, ...mcp(at), ...unless(at, 'input', 'x') }),
  openai_chat_completions_create: (_, at) => ({ model: MODEL, ...unless(at, 'messages', messages) }),
  openai_completions_create: () => ({ model: MODEL, prompt: 'x' }),
  openai_audio_speech_create: () => ({ model: 'voice', input: 'x', voice: 'x' }),
  openai_batches_create: () => ({ endpoint: '/v1/chat/completions', completion_window: '24h' }),
  anthropic_messages_create: () => ({ model: MODEL, max_tokens: 10, messages }),
  anthropic_messages_count_tokens: () => ({ model: MODEL, messages }),
  create_judge_v1_observability_judges_post: () => ({ name: `judge-${randomUUID()}` }),
  update_judge_v1_observability_judges__judge_id__put: () => ({ name: `judge-${randomUUID()}` }),
  agents_api_v1_agents_create: (_, at) => ({ model: MODEL, name: 'x', ...tools(at) }),
  agents_api_v1_agents_update: (_, at) => ({ model: MODEL, guardrails: null, tools: [], ...tools(at) }),
  agents_api_v1_conversations_start: (_, at) => ({
    ...(at?.way[0] === 'agent_id' ? {} : { model: MODEL }),
    ...tools(at),
    ...unless(at, 'inputs', 'x'),
  }),
  agents_api_v1_conversations_append: (_, at) => unless(at, 'inputs', 'x'),
  agents_api_v1_conversations_restart: (own, at) => ({ from_entry_id: own.ids.entry, ...unless(at, 'inputs', 'x') }),
  speech_v1_audio_speech_post: () => ({ model: 'voice', input: 'x' }),
  ocr_v1_ocr_post: (_, at) => ({
    model: 'reader',
    ...unless(at, 'document', { type: 'document_url', document_url: 'x' }),
  }),
  libraries_sources_create: () => ({
    place: { type: 'site', url: 'https://page.trust.test/' },
    interval_seconds: null,
  }),
  libraries_search: () => ({ query: 'x' }),
  libraries_web_documents_add: () => ({ url: 'https://page.trust.test/' }),
  jobs_api_routes_batch_create_batch_job: (own, at) => ({
    endpoint: '/v1/chat/completions',
    ...(at?.way[0] === 'agent_id' ? {} : { model: MODEL }),
    ...unless(at, 'input_files', [own.ids.file]),
  }),
  schedule_workflow_v1_workflows_schedules_post: (own, at) => ({
    schedule,
    ...(at?.way[0]?.startsWith('workflow_') ? {} : { workflow_identifier: own.ids.workflowName }),
  }),
  update_schedule_v1_workflows_schedules__schedule_id__patch: () => ({ schedule: { cron_expressions: ['0 0 1 1 *'] } }),
  workflows_register: (own) => ({ ...place(own), definitions: [] }),
  workflows_workers_heartbeat: (own) => place(own),
  workflows_workers_logs: (own, at) => ({
    ...place(own),
    ...unless(at, 'records', []),
  }),
  workflows_workers_poll: (own) => ({ ...place(own), wait_ms: 0, max_workflow_tasks: 1, max_step_tasks: 1 }),
  workflows_workers_advance: (own) => place(own),
  workflows_workers_report: (own) => place(own),
  workflows_workers_send_event: (own) => ({ event: event(own) }),
  workflows_workers_send_event_v2: (own) => ({ event: event(own) }),
  workflows_workers_send_events: (own) => ({ events: [event(own)] }),
  workflows_workers_send_events_v2: (own) => ({ events: [event(own)] }),
  workflows_workers_event_route_token: (own) => ({
    workflow_exec_id: own.ids.execution,
    workflow_run_id: own.ids.run,
  }),
  workflows_workers_register_execution: (own) => ({
    temporal_workflow_id: own.ids.execution,
    temporal_run_id: own.ids.run,
    workflow_name: own.ids.workflowName,
    task_queue: own.ids.deployment,
  }),
  workflows_workers_upsert_search_keys: (own) => ({ temporal_run_id: own.ids.run, search_key_metadata: { a: 'b' } }),
  workflows_workers_delete_search_keys: (own) => ({ temporal_run_id: own.ids.run, keys: ['a'] }),
  workflows_workers_put_graph: (own) => ({
    workflow_registration_id: own.ids.registration,
    version: 1,
    graph_data: {},
  }),
  users_api_admin_api_keys_create_api_key: (own) => ({ workspace_uuid: own.ids.workspace, user_id: own.ids.user }),
  users_api_admin_user_groups_provision_group_to_workspace: (own) => ({
    user_group_uuid: own.ids.group,
    workspace_uuid: own.ids.workspace,
    workspace_role_name: 'dev',
  }),
  users_api_admin_user_groups_assign_group_to_workspace: (own) => ({
    workspace_uuid: own.ids.workspace,
    role_names: ['dev'],
  }),
  users_admin_user_groups_update_group_workspace_assignment: () => ({ role_names: ['dev'] }),
  users_api_admin_users_invite_users: () => ({ email: 'invited@trust.test', role_names: ['member'] }),
  users_api_admin_users_update_user: () => ({ role_names: ['member'] }),
  users_api_admin_workspaces_create_workspace: (own) => ({ name: 'x', admin_user_id: own.ids.user }),
};

/** Query parameters without which nothing would be looked up. */
export const queries: Record<string, (own: World) => Record<string, string>> = {
  agents_api_v1_agents_create_or_update_alias: () => ({ alias: 'a1', version: '0' }),
  agents_api_v1_agents_delete_alias: () => ({ alias: 'a1' }),
  console_usage: () => ({ from: '2026-01-01', to: '2026-01-31' }),
  files_download_signed: () => ({ expires: '9999999999', signature: 'x' }),
  get_stream_events_v1_workflows_events_stream_get: ({ ids }) => ({ workflow_exec_id: ids.execution ?? '' }),
};

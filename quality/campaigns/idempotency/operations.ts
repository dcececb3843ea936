import { randomUUID } from 'node:crypto';
import { documentedRoutes } from '../../../src/app.ts';
import { wavForTests } from '../../../src/speech/speech-for-tests.ts';
import { register } from '../../../src/workflows/workflows-for-tests.ts';
import type { Answer, call } from '../../../test/support/call.ts';
import type { Caller } from './servers.ts';

/** An index whose vectors come with the documents. */
const OWN_VECTORS = { embedding: { type: 'custom', name: 'ours', dimensions: 3 } };
/** Of version 3, without a tensor or a field. */
const EMPTY_GGUF = `GGUF\x03${'\0'.repeat(19)}`;
type Body = Record<string, unknown> | Record<string, unknown>[];

/** One request that creates something, and how to count what it created. */
export type Prepared = {
  path: string;
  body: Body;
  /** A body that is refused, by a business rule where there is one and not by the schema, and creates nothing. */
  refused: Body;
  /** A list in which each created object shows `trace` once. */
  list: string;
  /** Of a list that is asked for with a body. */
  search?: Body;
  trace: string;
  /** The field of the response that only the first caller sees and that is never stored. */
  shownOnce?: string;
};

export type Operation = {
  name: string;
  isAdmin?: boolean;
  /** Creates what the request needs; `mark` occurs in nothing else. */
  prepare(ask: Ask, mark: string, caller: Caller): Promise<Prepared>;
};

/** Calls as the caller, with the admin key where the operation is administrative. */
export type Ask = ((path: string, options?: Parameters<typeof call>[2]) => Promise<Answer>) & {
  url: string;
  key: string;
};

const simple =
  (path: string, of: (mark: string, caller: Caller) => { body: Body; refused: Body }, list: string, field = 'name') =>
  async (_: Ask, mark: string, caller: Caller): Promise<Prepared> => ({
    path,
    ...of(mark, caller),
    list,
    trace: `"${field}":"${mark}"`,
  });

const NOBODY = '00000000-0000-4000-8000-000000000000';

function judgeOf(name: string, max: number): Body {
  const output = { type: 'REGRESSION', min: 0, max, min_description: '', max_description: '' };
  return { name, description: '', model_name: 'small', output, instructions: '', tools: [] };
}

const ENDPOINTS = '/v1/notifications/endpoints';
const PROJECTS = '/v1/observability/projects';
const CHECKED = { evaluators: [{ check: 'valid_json' }] };

async function uploadLines(ask: Ask, line: Body): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([JSON.stringify(line)]), 'x.jsonl');
  const headers = { authorization: `Bearer ${ask.key}` };
  const sent = await fetch(`${ask.url}/v1/files`, { method: 'POST', headers, body: form });
  return ((await sent.json()) as { id: string }).id;
}

async function makeProject(ask: Ask): Promise<string> {
  const slug = `p-${randomUUID()}`;
  await ask(PROJECTS, { body: { name: slug, slug } });
  return slug;
}

async function makeEvaluation(ask: Ask, mark: string): Promise<{ evaluation: string; dataset_id: string }> {
  const evaluation = `e-${randomUUID()}`;
  await ask(`${PROJECTS}/${await makeProject(ask)}/evaluations_v2`, { body: { name: evaluation, slug: evaluation } });
  const dataset = await makeDataset(ask, mark);
  await ask(`${dataset}/records`, { body: { payload: { text: '{}' } } });
  return { evaluation, dataset_id: dataset.split('/').at(-1) ?? '' };
}

async function makeDataset(ask: Ask, name: string): Promise<string> {
  const { body } = await ask('/v1/observability/datasets', { body: { name, description: '' } });
  return `/v1/observability/datasets/${(body as { id: string }).id}`;
}

/** Each import is a task of its dataset, which has no others. */
const importOf = (dataset: string, from: string, body: Body, refused: Body): Prepared => ({
  path: `${dataset}/imports/${from}`,
  body,
  refused,
  list: `${dataset}/tasks`,
  trace: '"creator_id":',
});

const registryVersion =
  (room: string, first: Body, next: (mark: string) => Body) =>
  async (ask: Ask, mark: string): Promise<Prepared> => {
    await ask(`/v2/${room}`, { body: { name: mark, definition: first } });
    const path = `/v2/${room}/${mark}/versions`;
    const refused = { definition: next(`not-${mark}`), aliases: ['latest'] };
    return {
      path,
      body: { definition: next(mark), notes: `notes-${mark}` },
      refused,
      list: path,
      trace: `"notes-${mark}"`,
    };
  };

const workflow =
  (pathOf: (mark: string, registrationId: string) => string) =>
  async (ask: Ask, mark: string): Promise<Prepared> => {
    const schema = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };
    const definition = { name: mark, task_queue: 'main', input_schema: schema };
    const { workflow_registration_ids } = await register(ask, [definition], { deployment_name: mark });
    return {
      path: pathOf(mark, workflow_registration_ids[0] ?? ''),
      body: { input: { n: numberOf(mark) } },
      refused: { input: { n: 'one' } },
      list: `/v1/workflows/runs?workflow_identifier=${mark}`,
      trace: `"workflow_name":"${mark}"`,
    };
  };

function numberOf(mark: string): number {
  return Number.parseInt(mark.slice(-6), 16);
}

async function startConversation(ask: Ask): Promise<string> {
  const { body } = await ask('/v1/conversations', { body: { model: 'small', inputs: 'Hi' } });
  return (body as { conversation_id: string }).conversation_id;
}

const batchOf = (model: string, mark: string) => ({
  endpoint: '/v1/chat/completions',
  model,
  metadata: { mark },
  requests: [{ custom_id: 'a', body: { messages: [{ role: 'user', content: 'Hi' }] } }],
});

const samples: Operation[] = [
  {
    name: 'prompts_create',
    async prepare(ask, mark) {
      await ask('/v2/prompts', { body: { name: `taken-${mark}`, definition: { content: 'x' } } });
      const definition = { content: 'Hi' };
      const of = (name: string) => ({ name, definition });
      return {
        path: '/v2/prompts',
        body: of(mark),
        refused: of(`taken-${mark}`),
        list: '/v2/prompts?pageSize=100',
        trace: `"name":"${mark}"`,
      };
    },
  },
  { name: 'prompts_create_version', prepare: registryVersion('prompts', { content: 'a' }, (content) => ({ content })) },
  {
    name: 'skills_create',
    async prepare(ask, mark) {
      await ask('/v2/skills', { body: { name: `taken-${mark}`, definition: {} } });
      const of = (name: string) => ({ name, definition: { description: 'Counts.', body: '# One\n' } });
      return {
        path: '/v2/skills',
        body: of(mark),
        refused: of(`taken-${mark}`),
        list: '/v2/skills?pageSize=100',
        trace: `"name":"${mark}"`,
      };
    },
  },
  {
    name: 'skills_create_version',
    prepare: registryVersion('skills', { body: 'a' }, (body) => ({ description: 'Counts.', body })),
  },
  {
    name: 'create_service_account_v1_service_accounts_post',
    prepare: simple(
      '/v1/service-accounts',
      (name, { workspaceId }) => ({
        body: { name, workspace_id: workspaceId },
        refused: { name, workspace_id: NOBODY },
      }),
      '/v1/service-accounts?limit=1000',
    ),
  },
  {
    name: 'agents_api_v1_agents_create',
    prepare: simple(
      '/v1/agents',
      (name) => ({ body: { name, model: 'small' }, refused: { name, model: 'small', handoffs: [`ag_${NOBODY}`] } }),
      '/v1/agents?page_size=100',
    ),
  },
  {
    name: 'connector_create_v1',
    prepare: simple(
      '/v1/connectors',
      (name) => {
        const body = { name, description: 'x', server: 'https://wiki.example.com/mcp' };
        return { body, refused: { ...body, auth_methods: [], auth_data: { client_id: 'c' } } };
      },
      '/v1/connectors?page_size=1000',
    ),
  },
  {
    name: 'agents_api_v1_conversations_start',
    prepare: simple(
      '/v1/conversations',
      (mark) => ({
        body: { model: 'small', inputs: 'Hi', metadata: { mark } },
        refused: { model: 'nobody', inputs: 'Hi', metadata: { mark } },
      }),
      '/v1/conversations?page_size=100',
      'mark',
    ),
  },
  {
    name: 'agents_api_v1_conversations_append',
    async prepare(ask, mark) {
      const path = `/v1/conversations/${await startConversation(ask)}`;
      return {
        path,
        body: { inputs: mark },
        refused: { inputs: [{ type: 'function.result', tool_call_id: 'nothing', result: mark }] },
        list: `${path}/history`,
        trace: `"content":"${mark}"`,
      };
    },
  },
  {
    name: 'agents_api_v1_conversations_restart',
    async prepare(ask, mark) {
      const path = `/v1/conversations/${await startConversation(ask)}`;
      const { entries } = (await ask(`${path}/history`)).body as { entries: { id: string }[] };
      const of = (from_entry_id: string) => ({ from_entry_id, inputs: 'Again', metadata: { mark } });
      return {
        path: `${path}/restart`,
        body: of(entries[1]?.id ?? ''),
        refused: of('msg_nothing'),
        list: '/v1/conversations?page_size=100',
        trace: `"mark":"${mark}"`,
      };
    },
  },
  {
    name: 'jobs_api_routes_batch_create_batch_job',
    prepare: simple(
      '/v1/batch/jobs',
      (mark) => ({
        body: batchOf('small', mark),
        refused: { ...batchOf('small', mark), requests: null, input_files: [NOBODY] },
      }),
      '/v1/batch/jobs?page_size=100',
      'mark',
    ),
  },
  {
    name: 'create_voice_v1_audio_voices_post',
    prepare: simple(
      '/v1/audio/voices',
      (name) => ({
        body: { name, sample_audio: wavForTests().toString('base64'), sample_filename: 'a.wav' },
        refused: { name, sample_audio: Buffer.from('no sound').toString('base64') },
      }),
      '/v1/audio/voices?type=custom&limit=100',
    ),
  },
  {
    name: 'files_api_routes_upload_file',
    prepare: simple(
      '/v1/files',
      (mark) => ({ body: { filename: mark, purpose: 'batch' }, refused: { filename: mark, purpose: 'nothing' } }),
      '/v1/files?page_size=1000',
      'filename',
    ),
  },
  {
    name: 'create_index_v1_context_search_indexes_post',
    prepare: simple(
      '/v1/context/search-indexes',
      (name) => ({ body: { name, config: OWN_VECTORS }, refused: { name, config: {} } }),
      '/v1/context/search-indexes?page_size=100',
    ),
  },
  {
    name: 'ingest_documents_v1_context_search_indexes__index_name__documents_post',
    async prepare(ask, mark) {
      await ask('/v1/context/search-indexes', { body: { name: mark, config: OWN_VECTORS } });
      const path = `/v1/context/search-indexes/${mark}`;
      const documents = [{ id: mark, chunks: [{ content: mark, embedding: [1, 0, 0] }] }];
      return {
        path: `${path}/documents`,
        body: { documents },
        refused: { documents, odd: 1 },
        list: `${path}/chunks/${mark}:0`,
        trace: `"source_id":"${mark}"`,
      };
    },
  },
  {
    name: 'create_judge_v1_observability_judges_post',
    prepare: simple(
      '/v1/observability/judges',
      (mark) => ({ body: judgeOf(mark, 1), refused: judgeOf(mark, 0) }),
      '/v1/observability/judges?page_size=100',
    ),
  },
  {
    name: 'create_webhook_v1_webhooks_post',
    prepare: simple(
      '/v1/webhooks',
      (name) => ({
        body: { provider: 'github', name, secret: 'a long secret' },
        refused: { provider: 'slack', name },
      }),
      '/v1/webhooks',
    ),
  },
  {
    name: 'create_trigger_v1_triggers_post',
    async prepare(ask, mark) {
      await register(ask, [{ name: mark, task_queue: 'main', input_schema: {} }], { deployment_name: mark });
      const webhook = await ask('/v1/webhooks', { body: { provider: 'github', name: 'For a trigger' } });
      const event_source_id = (webhook.body as { id: string }).id;
      const action = { type: 'start_workflow', primitive_id: mark };
      const body = { event_source_id, handler: 'workflows', action, owner_type: 'workspace', title: mark };
      return {
        path: '/v1/triggers',
        body,
        refused: { ...body, handler: 'agents' },
        list: `/v1/triggers?primitive_id=${mark}`,
        trace: `"title":"${mark}"`,
      };
    },
  },
  {
    name: 'create_notification_endpoint',
    prepare: async (_, description) => ({
      path: ENDPOINTS,
      body: { url: 'https://example.com/hook', description, event_types: ['budget.near'] },
      refused: { url: 'http://10.0.0.1/hook', description },
      list: ENDPOINTS,
      trace: `"description":"${description}"`,
      shownOnce: 'secret',
    }),
  },
  {
    name: 'upload_model_adapter',
    isAdmin: true,
    prepare: simple(
      '/v1/admin/model-adapters',
      (filename) => ({ body: { filename, content: EMPTY_GGUF }, refused: { filename, content: 'no adapter' } }),
      '/v1/admin/model-adapters',
      'filename',
    ),
  },
  {
    name: 'create_managed_model',
    isAdmin: true,
    prepare: async (_, id) => ({
      path: '/v1/admin/models',
      body: { id, engine: 'upstream', kind: 'chat', url: 'https://example.com/v1' },
      refused: { id, engine: 'upstream', kind: 'chat', url: 'http://10.0.0.1/v1' },
      list: '/v1/admin/models',
      trace: `"id":"${id}"`,
    }),
  },
  {
    name: 'classifier_trainings_create',
    async prepare(ask, name) {
      const file_id = await uploadLines(ask, { text: 'x', label: 'y' });
      const path = '/v1/classifiers/trainings';
      return {
        path,
        body: { name, file_id },
        refused: { name, file_id: NOBODY },
        list: path,
        trace: `"name":"${name}"`,
      };
    },
  },
  {
    name: 'test_notification_endpoint',
    async prepare(ask) {
      const body = { url: 'https://example.com/hook', event_types: ['budget.near'] };
      const { id } = (await ask(ENDPOINTS, { body })).body as { id: string };
      return {
        path: `${ENDPOINTS}/${id}/test`,
        body: {},
        refused: { odd: 1 },
        list: `${ENDPOINTS}/${id}/deliveries`,
        trace: '"event_type":"notification.test"',
      };
    },
  },
  {
    name: 'create_project',
    prepare: simple(
      PROJECTS,
      (name) => ({ body: { name, slug: name }, refused: { name, slug: 'no slug' } }),
      `${PROJECTS}?page_size=100`,
    ),
  },
  {
    name: 'create_evaluation',
    async prepare(ask, mark) {
      const path = `${PROJECTS}/${await makeProject(ask)}/evaluations_v2`;
      return {
        path,
        body: { name: mark, slug: mark },
        refused: { name: mark, slug: '' },
        list: path,
        trace: `"name":"${mark}"`,
      };
    },
  },
  {
    name: 'create_evaluation_run',
    async prepare(ask, mark) {
      const { evaluation, dataset_id } = await makeEvaluation(ask, mark);
      const path = `/v1/observability/evaluations_v2/${evaluation}/runs`;
      const body = { name: mark, system: { kind: 'recorded' }, ...CHECKED, dataset_id };
      return {
        path,
        body,
        refused: { ...body, dataset_id: NOBODY },
        list: `${path}/search`,
        search: {},
        trace: `"name":"${mark}"`,
      };
    },
  },
  {
    name: 'create_optimization',
    async prepare(ask, mark) {
      const { evaluation, dataset_id } = await makeEvaluation(ask, mark);
      const path = '/v1/observability/optimizations';
      const more = { candidates: [{ kind: 'recorded' }], objective: { evaluator_name: 'valid_json' } };
      const body = { name: mark, evaluation, ...CHECKED, dataset_id, ...more };
      return { path, body, refused: { ...body, evaluation: 'none' }, list: path, trace: `"name":"${mark}"` };
    },
  },
  {
    name: 'create_pipeline_v1_observability_pipelines_post',
    async prepare(ask, mark) {
      const path = '/v1/observability/pipelines';
      const { body: judge } = await ask('/v1/observability/judges', { body: judgeOf(`j-${mark}`, 1) });
      const definitions = [{ slug: (judge as { id: string }).id }];
      const body = { name: mark, selectors: [{ source_kind: 'span' }], definitions, enabled: false };
      return {
        path,
        body,
        refused: { ...body, definitions: [{ slug: NOBODY }] },
        list: path,
        trace: `"name":"${mark}"`,
      };
    },
  },
  {
    name: 'create_pipeline_config_v1_observability_pipeline_configs_post',
    prepare: simple(
      '/v1/observability/pipeline-configs',
      (name) => {
        const patterns = [{ name: 'at', regex: '@', category: 'mail', confidence: 'high' }];
        const body = {
          name,
          pipeline_kind: 'detection',
          selectors: [{ source_kind: 'span' }],
          definition: { target_attributes: ['output_messages'], patterns },
          enabled: false,
        };
        return { body, refused: { ...body, definition: {} } };
      },
      '/v1/observability/pipeline-configs',
    ),
  },
  {
    name: 'create_dataset_v1_observability_datasets_post',
    prepare: simple(
      '/v1/observability/datasets',
      (name) => ({ body: { name, description: '' }, refused: { name, description: 1 } }),
      '/v1/observability/datasets?page_size=100',
    ),
  },
  {
    name: 'create_dataset_record_v1_observability_datasets__dataset_id__records_post',
    async prepare(ask, mark) {
      const path = `${await makeDataset(ask, mark)}/records`;
      return { path, body: { payload: { mark } }, refused: { payload: [] }, list: path, trace: `"mark":"${mark}"` };
    },
  },
  {
    name: 'post_dataset_records_from_file_v1_observability_datasets__dataset_id__imports_from_file_post',
    async prepare(ask, mark) {
      const file_id = await uploadLines(ask, { mark });
      return importOf(await makeDataset(ask, mark), 'from-file', { file_id }, { file_id: NOBODY });
    },
  },
  {
    name: 'post_dataset_records_from_dataset_v1_observability_datasets__dataset_id__imports_from_dataset_post',
    prepare: async (ask, mark) =>
      importOf(
        await makeDataset(ask, mark),
        'from-dataset',
        { dataset_record_ids: [NOBODY] },
        { dataset_record_ids: [] },
      ),
  },
  {
    name: 'post_dataset_records_from_playground_v1_observability_datasets__dataset_id__imports_from_playground_post',
    prepare: async (ask, mark) =>
      importOf(await makeDataset(ask, mark), 'from-playground', { conversation_ids: ['x'] }, { conversation_ids: [] }),
  },
  {
    name: 'post_dataset_records_from_spans_v1_observability_datasets__dataset_id__imports_from_spans_post',
    async prepare(ask, mark) {
      const span_references = [{ trace_id: '1'.repeat(32), span_id: '1'.repeat(16) }];
      const mapping = { target_field: 'a', source_field: { namespace: 'span_attributes', key: 'a' } };
      const bodyOf = (mappings: object[]) => ({ span_references, mapping_contract: { mappings } });
      const dataset = await makeDataset(ask, mark);
      return importOf(dataset, 'from-spans', bodyOf([mapping]), bodyOf([mapping, mapping]));
    },
  },
  {
    name: 'libraries_create_v1',
    prepare: simple(
      '/v1/libraries',
      (name) => ({ body: { name }, refused: { name, chunk_size: 1 } }),
      '/v1/libraries?page_size=100',
    ),
  },
  {
    name: 'libraries_documents_upload_v1',
    async prepare(ask, mark) {
      const { body } = await ask('/v1/libraries', { body: { name: mark } });
      const path = `/v1/libraries/${(body as { id: string }).id}/documents`;
      const list = `${path}?page_size=100`;
      return {
        path,
        body: { filename: mark },
        refused: { filename: mark, purpose: 'x' },
        list,
        trace: `"name":"${mark}"`,
      };
    },
  },
  {
    name: 'libraries_web_documents_add',
    async prepare(ask, mark) {
      const { body } = await ask('/v1/libraries', { body: { name: mark } });
      const library = `/v1/libraries/${(body as { id: string }).id}`;
      const url = `https://${mark}.example.test/`;
      return {
        path: `${library}/web-documents`,
        body: { url },
        refused: { url, pages_max: 0 },
        list: `${library}/documents?page_size=100`,
        trace: `"url":"${url}"`,
      };
    },
  },
  {
    name: 'libraries_sources_create',
    async prepare(ask, mark) {
      const { body } = await ask('/v1/libraries', { body: { name: mark } });
      const path = `/v1/libraries/${(body as { id: string }).id}/sources`;
      const url = `https://${mark}.example.test/`;
      const source = { place: { type: 'site', url }, interval_seconds: null };
      return { path, body: source, refused: { ...source, interval_seconds: 1 }, list: path, trace: `"url":"${url}"` };
    },
  },
  {
    name: 'openai_files_create',
    prepare: simple(
      '/openai/v1/files',
      (mark) => ({ body: { filename: mark, purpose: 'batch' }, refused: { filename: mark, purpose: 'nothing' } }),
      '/openai/v1/files?limit=1000',
      'filename',
    ),
  },
  {
    name: 'openai_batches_create',
    async prepare(ask, mark) {
      const request = { model: 'small', messages: [{ role: 'user', content: 'Hi' }] };
      const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: request };
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob([JSON.stringify(line)]), `in-${mark}.jsonl`);
      const headers = { authorization: `Bearer ${ask.key}` };
      const uploaded = await fetch(`${ask.url}/openai/v1/files`, { method: 'POST', headers, body: form });
      const { id: input_file_id } = (await uploaded.json()) as { id: string };
      const batch = { endpoint: '/v1/chat/completions', completion_window: '24h', metadata: { mark } };
      return {
        path: '/openai/v1/batches',
        body: { ...batch, input_file_id },
        refused: { ...batch, input_file_id: `file-${NOBODY.replaceAll('-', '')}` },
        list: '/openai/v1/batches?limit=100',
        trace: `"mark":"${mark}"`,
      };
    },
  },
  {
    name: 'execute_workflow_v1_workflows__workflow_identifier__execute_post',
    prepare: workflow((mark) => `/v1/workflows/${mark}/execute`),
  },
  {
    name: 'execute_workflow_registration_v1_workflows_registrations__workflow_registration_id__execute_post',
    async prepare(ask, mark) {
      const prepared = await workflow((_, id) => `/v1/workflows/registrations/${id}/execute`)(ask, mark);
      // Unless the key is checked first, the second of two would be refused for its duplicate execution id.
      return { ...prepared, body: { ...prepared.body, execution_id: randomUUID() } };
    },
  },
  {
    name: 'schedule_workflow_v1_workflows_schedules_post',
    async prepare(ask, mark) {
      await workflow(() => '')(ask, mark);
      const schedule = { input: { n: 1 }, cron_expressions: ['0 7 * * *'] };
      return {
        path: '/v1/workflows/schedules',
        body: { workflow_identifier: mark, schedule },
        refused: { workflow_identifier: `not-${mark}`, schedule },
        list: `/v1/workflows/schedules?workflow_name=${mark}`,
        trace: `"workflow_name":"${mark}"`,
      };
    },
  },
  {
    name: 'users_api_admin_users_create_users',
    isAdmin: true,
    async prepare(_, mark) {
      const person = { email: `${mark}@example.test`, first_name: 'A', last_name: 'B' };
      return {
        path: '/v1/admin/users',
        body: [person],
        refused: [{ ...person, first_name: null }],
        list: `/v1/admin/users?email=${mark}`,
        trace: `"email":"${mark}@example.test"`,
      };
    },
  },
  {
    name: 'users_api_admin_users_invite_users',
    isAdmin: true,
    prepare: async (_, mark) => ({
      path: '/v1/admin/users-invite',
      body: { email: `${mark}@example.test` },
      refused: { email: `${mark}@example.test`, workspace_uuids: [NOBODY] },
      list: '/v1/admin/users-invite',
      trace: `"email":"${mark}@example.test"`,
      shownOnce: 'invite_links',
    }),
  },
  {
    name: 'users_api_admin_user_groups_create_user_group',
    isAdmin: true,
    prepare: simple(
      '/v1/admin/user-groups',
      (name) => ({ body: { name }, refused: { name, parent_group_ids: [NOBODY] } }),
      '/v1/admin/user-groups?page_size=100',
    ),
  },
  {
    name: 'users_api_admin_workspaces_create_workspace',
    isAdmin: true,
    prepare: simple(
      '/v1/admin/workspaces',
      (name, { userId }) => ({ body: { name, admin_user_id: userId }, refused: { name, admin_user_id: NOBODY } }),
      '/v1/admin/workspaces?page_size=100',
    ),
  },
  {
    name: 'users_api_admin_api_keys_create_api_key',
    isAdmin: true,
    prepare: async (_, name, { workspaceId, userId }) => ({
      path: '/v1/admin/api-keys',
      body: { name, workspace_uuid: workspaceId, user_id: userId },
      refused: { name, workspace_uuid: NOBODY, user_id: userId },
      list: `/v1/admin/api-keys?name=${name}`,
      trace: `"name":"${name}"`,
      shownOnce: 'key',
    }),
  },
];

/** Every operation of the route table that honours the key, with its sample, or without one. */
export function keyedOperations(): { operations: Operation[]; missing: string[] } {
  const keyed = documentedRoutes().filter(({ creates }) => creates !== undefined && creates !== false);
  const names = keyed.map(({ operationId }) => operationId);
  return {
    operations: samples.filter(({ name }) => names.includes(name)),
    missing: names.filter((name) => !samples.some((sample) => sample.name === name)),
  };
}

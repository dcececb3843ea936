import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, formOf, type Question } from '../serve/ask.ts';
import { readRows } from '../serve/read-rows.ts';
import { steadyRows } from './compare-rows.ts';
import { type Kind, kinds } from './id-fields.ts';
import { MODEL, type World, type Worlds } from './worlds.ts';

type Body = Record<string, unknown>;
type Making = {
  world: World;
  worlds: Worlds;
  /** As the world's own key; a response that is no success ends the campaign. */
  call(method: string, path: string, body?: unknown, more?: Partial<Question>): Promise<Body>;
  admin(method: string, path: string, body?: unknown): Promise<Body>;
  id(kind: Kind): string;
};

const RIFF = Buffer.concat([Buffer.from('RIFF$\0\0\0WAVEfmt '), Buffer.alloc(64)]).toString('base64');
const SPANS_WRITTEN_MS = 250;
const FILE_FIELDS = { purpose: 'batch', visibility: 'user' };

/** How one of each kind is created, in this order: later ones need earlier ones. */
const makers: Record<Kind, (making: Making) => Promise<string> | string> = {
  // These exist before the server starts.
  organization: ({ world }) => world.organizationId,
  workspace: ({ world }) => world.workspaceId,
  user: ({ world }) => world.userId,
  model: ({ world }) => world.ids.model ?? '',
  connector: ({ world }) => world.ids.connector ?? '',
  adminKey: ({ world }) => world.ids.adminKey ?? '',

  key: async ({ worlds, world }) => {
    const { keys } = worlds.server.platform.tenants;
    const found = (await keys.list(world.organizationId)).find(({ name }) => name === `of ${world.name}`);
    return found?.id ?? '';
  },
  group: async ({ worlds, world }) => {
    const by = { organization_id: world.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
    const input = { name: `Group of ${world.name}`, description: null, target_type: null, parentIds: [] };
    const { groups } = worlds.server.platform.tenants;
    const { id } = await groups.create(by, input);
    await groups.addMembers(by, id, [world.userId]);
    await groups.assign(by, id, world.workspaceId, ['dev']);
    return id;
  },
  serviceAccount: async ({ call, world }) => {
    const body = { name: `Account of ${world.name}`, workspace_id: world.workspaceId };
    return String((await call('POST', '/v1/service-accounts', body)).id);
  },
  session: async ({ worlds, world }) => {
    const { db } = worlds.server.platform.database;
    const rows = await db.selectFrom('sessions').select('id').where('user_id', '=', world.userId).execute();
    return rows[0]?.id ?? '';
  },
  invitation: async ({ worlds, world }) => {
    const { invitations } = worlds.server.platform.tenants;
    const by = { organization_id: world.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
    const emails = `invited-by-${world.name}@trust.test`;
    await invitations.invite(by, {
      emails,
      roles: ['member'],
      workspaceIds: [],
      language: null,
      baseUrl: 'http://trust.test',
    });
    const all = await invitations.list(world.organizationId);
    return all.find(({ email }) => email === emails)?.id ?? '';
  },

  file: async ({ call }) => {
    const { headers, body } = formOf('{"custom_id":"1","body":{"messages":[]}}', FILE_FIELDS, 'mine.jsonl');
    return String((await call('POST', '/v1/files', body, { headers })).id);
  },
  storedConnector: async ({ call, world }) => {
    const body = { name: `stored-${world.name}`, description: 'x', server: 'https://wiki.example.com/mcp' };
    const { id } = await call('POST', '/v1/connectors', body);
    const credentials = { name: 'main', credentials: { bearer_token: `a-token-of-${world.name}` } };
    await call('POST', `/v1/connectors/${id}/user/credentials`, credentials);
    return String(id);
  },
  library: async ({ call, world }) => {
    const { id } = await call('POST', '/v1/libraries', { name: `Library of ${world.name}` });
    return String(id);
  },
  libraryDocument: async ({ call, id, world }) => {
    const { headers, body } = formOf(`Words of ${world.name}.`, {}, 'mine.txt');
    const path = `/v1/libraries/${id('library')}/documents`;
    const document = await call('POST', path, body, { headers });
    for (;;) {
      const { processing_status } = await call('GET', `${path}/${document.id}/status`);
      if (processing_status !== 'Running') return String(document.id);
      await delay(20);
    }
  },
  judge: async ({ call, world }) => {
    const { id } = await call('POST', '/v1/observability/judges', judgeOf(`Judge of ${world.name}`));
    return String(id);
  },
  dataset: async ({ call, world }) => {
    const body = { name: `Dataset of ${world.name}`, description: 'x' };
    return String((await call('POST', '/v1/observability/datasets', body)).id);
  },
  datasetRecord: async ({ call, id, world }) => {
    const payload = { text: `Words of ${world.name}.` };
    return String((await call('POST', `/v1/observability/datasets/${id('dataset')}/records`, { payload })).id);
  },
  evaluationProject: async ({ call, world }) => {
    const body = { name: `Project of ${world.name}`, slug: `project-${randomUUID()}` };
    return String((await call('POST', '/v1/observability/projects', body)).slug);
  },
  evaluation: async ({ call, id, world }) => {
    const body = { name: `Evaluation of ${world.name}`, slug: `evaluation-${randomUUID()}` };
    const path = `/v1/observability/projects/${id('evaluationProject')}/evaluations_v2`;
    return String((await call('POST', path, body)).slug);
  },
  evaluationRun: async ({ call, id }) => {
    const path = `/v1/observability/evaluations_v2/${id('evaluation')}/runs`;
    const run = await call('POST', path, { system: { kind: 'recorded' }, ...planOf(id('dataset')) });
    for (;;) {
      const { status } = await call('GET', `/v1/observability/evaluation-runs_v2/${run.id}`);
      if (status === 'completed') return String(run.id);
      await delay(SPANS_WRITTEN_MS);
    }
  },
  evaluationRecord: async ({ call, id }) => {
    const found = await call('POST', `/v1/observability/evaluation-runs_v2/${id('evaluationRun')}/records/search`, {});
    return String((found.records as { results: Body[] }).results[0]?.id);
  },
  optimization: async ({ call, id, world }) => {
    const candidates = [{ kind: 'recorded' }];
    const more = { evaluation: id('evaluation'), name: `Optimization of ${world.name}`, candidates };
    const body = { ...planOf(id('dataset')), ...more, objective: { evaluator_name: 'valid_json' } };
    return String((await call('POST', '/v1/observability/optimizations', body)).id);
  },
  pipeline: async ({ call, id, world }) => {
    const definitions = [{ slug: id('judge') }];
    const body = {
      name: `Pipeline of ${world.name}`,
      selectors: [{ source_kind: 'span' }],
      definitions,
      enabled: false,
    };
    return String((await call('POST', '/v1/observability/pipelines', body)).id);
  },
  pipelineConfig: async ({ call, world }) => {
    const definition = {
      target_attributes: ['output_messages'],
      patterns: [{ name: 'at', regex: '@', category: 'mail', confidence: 'high' }],
    };
    const more = { pipeline_kind: 'detection', selectors: [{ source_kind: 'span' }], definition, enabled: false };
    return String(
      (await call('POST', '/v1/observability/pipeline-configs', { name: `Words of ${world.name}`, ...more })).id,
    );
  },
  datasetTask: async ({ call, id }) => {
    const path = `/v1/observability/datasets/${id('dataset')}`;
    const body = { dataset_record_ids: [id('datasetRecord')] };
    const task = await call('POST', `${path}/imports/from-dataset`, body);
    for (;;) {
      const { status } = await call('GET', `${path}/tasks/${task.id}`);
      if (status !== 'RUNNING') return String(task.id);
      await delay(20);
    }
  },
  librarySource: async ({ call, id }) => {
    const body = { place: { type: 'site', url: 'https://page.trust.test/' }, interval_seconds: null };
    return String((await call('POST', `/v1/libraries/${id('library')}/sources`, body)).id);
  },
  agent: async ({ call, world }) => {
    const agent = await call('POST', '/v1/agents', { model: MODEL, name: `Agent of ${world.name}` });
    await call('PUT', `/v1/agents/${agent.id}/aliases?alias=a1&version=0`);
    return String(agent.id);
  },
  conversation: async ({ call }) => {
    const { conversation_id } = await call('POST', '/v1/conversations', { model: MODEL, inputs: 'Hi' });
    return String(conversation_id);
  },
  searchIndex: async ({ call, world }) => {
    const embedding = { type: 'custom', name: 'ours', dimensions: 3 };
    const name = `index-of-${world.name}`;
    await call('POST', '/v1/context/search-indexes', { name, config: { embedding } });
    const documents = [{ id: 'a', chunks: [{ content: `Words of ${world.name}.`, embedding: [1, 0, 0] }] }];
    await call('POST', `/v1/context/search-indexes/${name}/documents`, { documents });
    return name;
  },
  ragDeployment: async ({ call, world }) => {
    const vespa = { type: 'vespa', vespa_version: '8', query_url: 'https://vespa.example.com', indexes: [] };
    return String((await call('PUT', '/v1/rag/deployments', { name: world.name, deployment: vespa })).id);
  },
  ragPipeline: async ({ call, world }) =>
    String((await call('PUT', '/v1/rag/ingestion_pipeline_configurations', { name: world.name })).id),
  trace: async ({ call }) => {
    const body = { search_expression: "operation_name = 'chat'" };
    for (;;) {
      const { spans } = await call('POST', '/v1/observability/spans/search?page_size=1', body);
      const [span] = (spans as { results: Body[] }).results;
      if (span) return String(span.trace_id);
      await delay(SPANS_WRITTEN_MS);
    }
  },
  span: async ({ call, id }) => {
    const { spans } = await call('GET', `/v1/observability/traces/${id('trace')}/spans`);
    return String((spans as { results: Body[] }).results[0]?.span_id);
  },
  entry: async ({ call, id }) => {
    const { entries } = await call('GET', `/v1/conversations/${id('conversation')}/history`);
    return String((entries as Body[])[0]?.id);
  },
  prompt: async ({ call, world }) => {
    const name = `prompt-${world.name}`;
    const { id } = await call('POST', '/v2/prompts', { name, definition: { content: 'x' }, aliases: ['a1'] });
    return String(id);
  },
  promptModel: ({ world }) => `prompt:prompt-${world.name}`,
  skill: async ({ call, world }) => {
    const definition = { description: `What ${world.name} does`, body: 'x' };
    const { id } = await call('POST', '/v2/skills', { name: `skill-${world.name}`, definition, aliases: ['a1'] });
    return String(id);
  },
  skillReference: ({ world }) => `skill-${world.name}`,
  // Shared in its workspace, but not published: invisible outside of it.
  publishedSkill: async ({ call, world }) => {
    const definition = { description: `Not yet published by ${world.name}`, body: 'x' };
    const name = `unpublished-${world.name}`;
    await call('POST', '/v2/skills', { name, definition, sharingScope: 'workspace' });
    return name;
  },
  voice: async ({ call, world }) => {
    const { id } = await call('POST', '/v1/audio/voices', { name: `Voice of ${world.name}`, sample_audio: RIFF });
    return String(id);
  },
  batchJob: async ({ call, id }) => {
    const endpoint = '/v1/chat/completions';
    const job = await call('POST', '/v1/batch/jobs', { input_files: [id('file')], endpoint, model: MODEL });
    return String(job.id);
  },

  openAiBatch: ({ id }) => `batch_${id('batchJob').replaceAll('-', '')}`,
  response: async ({ call }) => {
    const { id } = await call('POST', '/openai/v1/responses', { model: MODEL, input: 'Hi' });
    return String(id);
  },

  deployment: ({ world }) => `deployment-${world.name}`,
  workflowName: ({ world }) => `workflow-${world.name}`,
  registration: async ({ call, id, world }) => {
    const registered = await call('POST', '/v1/workflows/register', {
      definitions: [{ name: id('workflowName'), task_queue: 'main', input_schema: { type: 'object' } }],
      deployment_name: id('deployment'),
      worker_name: `worker-${world.name}`,
    });
    const [ref] = registered.workflow_registration_refs as Body[];
    world.ids.workflow = String(ref?.workflow_id);
    await call('POST', `/v1/workflows/${id('workflowName')}/graphs`, {
      workflow_registration_id: ref?.workflow_registration_id,
      version: 1,
      graph_data: {},
    });
    return String(ref?.workflow_registration_id);
  },
  workflow: ({ world }) => world.ids.workflow ?? '',
  execution: async ({ call, id, world }) => {
    const started = await call('POST', `/v1/workflows/${id('workflowName')}/execute`, { input: {} });
    world.ids.run = String(started.run_id);
    return String(started.execution_id);
  },
  run: ({ world }) => world.ids.run ?? '',
  runToken: ({ world }) => `${world.ids.run}.1`,
  stepToken: ({ world }) => `${world.ids.run}.5.1`,
  executionToken: async ({ call, id }) => {
    const token = randomUUID();
    // As a worker of the official SDK names a child workflow that it starts itself.
    await call('POST', '/v1/workflows/executions/register', {
      temporal_workflow_id: id('execution'),
      temporal_run_id: id('run'),
      workflow_name: id('workflowName'),
      task_queue: id('deployment'),
      execution_token_hash: createHash('sha256').update(token).digest('hex'),
    }).catch(() => undefined);
    return token;
  },
  webhook: async ({ call, world }) => {
    const body = { provider: 'github', name: `Webhook of ${world.name}`, secret: `a-secret-of-${world.name}` };
    return String((await call('POST', '/v1/webhooks', body)).id);
  },
  trigger: async ({ call, id, world }) => {
    const action = { type: 'start_workflow', primitive_id: id('workflowName') };
    const more = { handler: 'workflows', owner_type: 'workspace', title: `Trigger of ${world.name}` };
    return String((await call('POST', '/v1/triggers', { event_source_id: id('webhook'), action, ...more })).id);
  },
  classifierTraining: async ({ call, id, world }) => {
    const path = '/v1/classifiers/trainings';
    const training = await call('POST', path, { name: world.name, file_id: id('file') });
    // It ends soon, since the file has no examples, and nothing changes by itself from then on.
    while ((await call('GET', `${path}/${training.id}`)).ended_at === null) await delay(20);
    return String(training.id);
  },
  notificationEndpoint: async ({ call, world }) => {
    const body = { url: `https://${world.name}.example.com/hook`, event_types: ['budget.near'] };
    return String((await call('POST', '/v1/notifications/endpoints', body)).id);
  },
  notificationDelivery: async ({ call, id }) => {
    const path = `/v1/notifications/endpoints/${id('notificationEndpoint')}`;
    const delivery = await call('POST', `${path}/test`, {});
    // On a disabled endpoint it ends, so that nothing changes by itself from then on.
    await call('PATCH', path, { status: 'disabled' });
    for (;;) {
      const { data } = await call('GET', `${path}/deliveries?status=failed`);
      if ((data as Body[]).length > 0) return String(delivery.id);
      await delay(20);
    }
  },
  schedule: async ({ call, id, world }) => {
    const schedule_id = `schedule-${world.name}`;
    await call('POST', '/v1/workflows/schedules', {
      schedule: { input: {}, cron_expressions: ['0 0 1 1 *'] },
      workflow_identifier: id('workflowName'),
      schedule_id,
    });
    return schedule_id;
  },
};

/** Creates one of each kind for this world. A kind without a maker is an error, so that no room is forgotten. */
export async function makeObjects(worlds: Worlds, world: World): Promise<void> {
  const { url } = worlds.server;
  async function call(method: string, path: string, body?: unknown, more: Partial<Question> = {}): Promise<Body> {
    const headers = { authorization: `Bearer ${world.key}`, ...more.headers };
    const { status, text } = await ask(url, { method, path, body, headers });
    if (status >= 300) throw new Error(`${world.name}: ${method} ${path} was answered ${status}: ${text}`);
    return text ? (JSON.parse(text) as Body) : {};
  }
  const id = (kind: Kind): string => {
    const made = world.ids[kind];
    if (!made) throw new Error(`${world.name} has no ${kind} yet.`);
    return made;
  };
  const admin = (method: string, path: string, body?: unknown) =>
    call(method, path, body, { headers: { 'x-api-key': world.adminKey ?? '' } });
  for (const [kind, make] of Object.entries(makers) as [Kind, (typeof makers)[Kind]][]) {
    if (kind === 'adminKey' && !world.adminKey) continue;
    const made = await make({ world, worlds, call, admin, id });
    if (!made || made === 'undefined') throw new Error(`${world.name} could not make its ${kind}.`);
    world.ids[kind] = made;
  }
  const lacking = kinds.filter((kind) => !makers[kind]);
  if (lacking.length > 0) throw new Error(`Nobody makes: ${lacking.join(', ')}.`);
}

const SETTLED_MS = 500;
const MOST_LOOKS = 40;

/** Waits for background jobs and usage records; they must be finished before rows are compared. */
export async function settle({ server }: Worlds, made: readonly World[]): Promise<void> {
  const { db } = server.platform.database;
  const open = () => db.selectFrom('batch_jobs').select('id').where('status', 'in', ['QUEUED', 'RUNNING']).execute();
  // Each of them has had one reply in a conversation.
  const counted = () => db.selectFrom('usage_daily').select('key_id').distinct().execute();
  while ((await open()).length > 0 || (await counted()).length < made.length) await delay(20);
  // Usage, spans and jobs are written behind the answers: until two looks in a row see the same.
  const look = async () => steadyRows(await readRows(server.platform.database)).join('\n');
  for (let seen = '', now = await look(), looks = 0; now !== seen && looks < MOST_LOOKS; now = await look()) {
    seen = now;
    looks += 1;
    await delay(SETTLED_MS);
  }
}

const planOf = (dataset_id: string) => ({ dataset_id, evaluators: [{ check: 'valid_json' }] });

function judgeOf(name: string): Body {
  const output = { type: 'REGRESSION', min_description: 'bad', max_description: 'good' };
  return { name, description: '', model_name: MODEL, output, instructions: 'x', tools: [] };
}

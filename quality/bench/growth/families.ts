import type { Kind } from '../../campaigns/tenants/id-fields.ts';
import { type Copied, type Family, own } from './family.ts';
import { streams } from './streams.ts';

const versioned = (kind: Kind) => ({
  ...own('versioned_objects', kind, 'name'),
  object_versions: { of: ['object_id', kind], fresh: ['object_id'] } satisfies Copied,
  object_aliases: { of: ['object_id', kind], fresh: ['object_id'] } satisfies Copied,
});

/** What grows, and the lists, searches and streams that read it. Tables that others point to come first. */
export const families: Record<string, Family> = {
  users: {
    tables: {
      ...own('users', 'user', 'email'),
      organization_members: { of: ['user_id', 'user'], fresh: ['user_id'] },
    },
    tally: ['organization', 'members'],
    reads: [
      '/v1/admin/users',
      '/v1/admin/users?page_size=10&page={middle:10}',
      '/v1/admin/users?email=owner-12',
      '/v1/users/me/organizations',
    ],
  },
  groups: {
    tables: own('user_groups', 'group', 'name'),
    tally: ['organization', 'user_groups'],
    reads: ['/v1/admin/user-groups', '/v1/admin/user-groups?page={middle:10}', '/v1/admin/user-groups?search=nothing'],
  },
  'members of a group': {
    tables: {
      ...own('users', 'user', 'email'),
      user_group_members: { of: ['user_id', 'user'], fresh: ['user_id'] },
    },
    tally: ['group', 'members'],
    reads: ['/v1/admin/user-groups/{group}/members', '/v1/admin/user-groups/{group}'],
  },
  workspaces: {
    tables: own('workspaces', 'workspace', 'name'),
    tally: ['organization', 'workspaces'],
    reads: ['/v1/admin/workspaces', '/v1/admin/workspaces?search=nothing', '/v1/users/me/workspaces'],
  },
  invitations: {
    tables: { invitations: { of: ['id', 'invitation'], fresh: ['id', 'email'], isElsewhere: true } },
    reads: ['/v1/admin/users-invite'],
  },
  keys: {
    tables: own('api_keys', 'key', 'hash'),
    reads: ['/v1/admin/api-keys', '/v1/admin/api-keys?limit=25&offset={half}', '/v1/admin/api-keys?name=nothing'],
  },
  'service accounts': {
    tables: { ...own('users', 'serviceAccount', 'email'), ...own('service_accounts', 'serviceAccount', 'name') },
    reads: ['/v1/service-accounts', '/v1/service-accounts?q=nothing'],
  },
  'audit log': {
    tables: { audit_logs: { of: ['organization_id', 'organization'], fresh: ['log_id'] } },
    reads: [
      '/v1/admin/audit-logs',
      '/v1/admin/audit-logs?event_type=workspace.create',
      '/v1/admin/audit-logs?actor_user_uuid={user}',
    ],
  },
  files: {
    tables: own('files', 'file'),
    reads: [
      '/v1/files',
      '/v1/files?page={middle:100}',
      '/v1/files?search=nothing',
      '/v1/files?purpose=ocr',
      // Its own default is ten thousand.
      '/openai/v1/files?limit=100',
      '/openai/v1/files?limit=100&order=asc',
    ],
  },
  libraries: {
    tables: own('libraries', 'library'),
    reads: [
      '/v1/libraries',
      '/v1/libraries?page={middle:100}',
      '/v1/libraries?search=nothing',
      '/v1/libraries?page_token={next:next_page_token}',
    ],
  },
  'documents of a library': {
    tables: own('library_documents', 'libraryDocument', 'sha256'),
    reads: [
      '/v1/libraries/{library}/documents',
      '/v1/libraries/{library}/documents?page={middle:100}',
      '/v1/libraries/{library}/documents?search=nothing',
      '/v1/libraries/{library}/documents?sort_by=name',
      '/v1/libraries',
    ],
  },
  agents: {
    tables: own('agents', 'agent'),
    reads: [
      '/v1/agents',
      '/v1/agents?page={middle:20}',
      '/v1/agents?search=nothing',
      '/v1/agents?name=nothing',
      '/v1/agents/pages',
      '/v1/agents/pages?page_token={next:next_page_token}',
      '/v1/agents/{agent}/aliases',
    ],
  },
  prompts: {
    tables: versioned('prompt'),
    reads: [
      '/v2/prompts',
      '/v2/prompts?sort_by=title',
      '/v2/prompts?alias=a1',
      '/v2/prompts/prompt-owner-{any}?alias=a1',
    ],
  },
  'versions of a prompt': {
    tables: { object_versions: { of: ['object_id', 'prompt'], fresh: ['version', 'digest'] } },
    reads: ['/v2/prompts/{prompt}/versions/1', '/v2/prompts'],
    growing: { '/v2/prompts/{prompt}/versions': 'comes whole, as published, and is written while it is read' },
  },
  skills: {
    tables: versioned('skill'),
    reads: ['/v2/skills', '/v2/skills?alias=a1', '/v1/skill-intake'],
  },
  conversations: {
    tables: own('conversations', 'conversation'),
    reads: ['/v1/conversations', '/v1/conversations?page={middle:100}'],
  },
  'entries of conversations': {
    tables: {
      ...own('conversations', 'conversation'),
      conversation_entries: { of: ['id', 'entry'], fresh: ['conversation_id'] },
    },
    reads: ['/v1/conversations/{conversation}/history', '/v1/conversations/{conversation}/messages'],
  },
  'batch jobs': {
    tables: own('batch_jobs', 'batchJob'),
    reads: [
      '/v1/batch/jobs',
      '/v1/batch/jobs?page={middle:100}',
      '/v1/batch/jobs?status=RUNNING',
      '/v1/batch/jobs?created_by_me=true',
      '/openai/v1/batches',
      '/openai/v1/batches?after={openAiBatch}',
    ],
  },
  connectors: {
    tables: own('connectors', 'storedConnector', 'name'),
    reads: ['/v1/connectors', '/v1/connectors?cursor={next:pagination.next_cursor}'],
  },
  voices: {
    tables: own('custom_voices', 'voice', 'slug'),
    reads: [
      '/v1/audio/voices',
      '/v1/audio/voices?limit=10&offset={half}',
      '/v2/audio/voices',
      '/v2/audio/voices?page_token={next:next_page_token}',
      '/v2/audio/voices?query=nothing',
    ],
  },
  trainings: {
    tables: own('classifier_trainings', 'classifierTraining'),
    reads: ['/v1/classifiers/trainings'],
  },
  'search indexes': {
    tables: { search_indexes: { of: ['name', 'searchIndex'], fresh: ['id', 'name'] } },
    reads: [
      '/v1/context/search-indexes',
      '/v1/context/search-indexes?page_token={next:next_page_token}',
      '/v1/context/search-indexes?status=failed',
    ],
  },
  datasets: {
    tables: own('datasets', 'dataset', 'slug'),
    reads: [
      '/v1/observability/datasets',
      '/v1/observability/datasets?page={middle:50}',
      '/v1/observability/datasets?q=nothing',
    ],
  },
  'records of a dataset': {
    tables: { dataset_records: { of: ['id', 'datasetRecord'], fresh: ['id', 'position'] } },
    reads: [
      '/v1/observability/datasets/{dataset}/records',
      '/v1/observability/datasets/{dataset}/records?page={middle:50}',
    ],
  },
  'tasks of a dataset': {
    tables: own('dataset_imports', 'datasetTask'),
    reads: ['/v1/observability/datasets/{dataset}/tasks'],
  },
  judges: {
    tables: own('judges', 'judge', 'name'),
    reads: ['/v1/observability/judges', '/v1/observability/judges?q=nothing'],
  },
  projects: {
    tables: { evaluation_projects: { of: ['slug', 'evaluationProject'], fresh: ['id', 'slug'] } },
    reads: ['/v1/observability/projects', '/v1/observability/projects?q=nothing'],
  },
  evaluations: {
    tables: { evaluations: { of: ['slug', 'evaluation'], fresh: ['id', 'slug'] } },
    reads: ['/v1/observability/projects/{evaluationProject}/evaluations_v2'],
  },
  'evaluation runs': {
    tables: own('evaluation_runs', 'evaluationRun'),
    reads: [
      'POST /v1/observability/evaluation-runs_v2/search',
      'POST /v1/observability/evaluations_v2/{evaluation}/runs/search',
    ],
  },
  optimizations: {
    tables: own('evaluation_optimizations', 'optimization'),
    reads: ['/v1/observability/optimizations'],
  },
  pipelines: {
    tables: own('evaluation_pipelines', 'pipeline', 'slug'),
    reads: ['/v1/observability/pipelines', '/v1/observability/pipelines?q=nothing'],
  },
  'pipeline configurations': {
    tables: own('evaluation_pipeline_configs', 'pipelineConfig', 'slug'),
    reads: ['/v1/observability/pipeline-configs', '/v1/observability/pipeline-configs?q=nothing'],
  },
  'deliveries of an endpoint': {
    tables: own('notification_deliveries', 'notificationDelivery', 'message_id'),
    reads: [
      '/v1/notifications/endpoints/{notificationEndpoint}/deliveries',
      '/v1/notifications/endpoints/{notificationEndpoint}/deliveries?page_token={next:next_page_token}',
      '/v1/notifications/endpoints',
    ],
  },
  triggers: {
    tables: { triggers: { of: ['id', 'trigger'], fresh: ['id'], isElsewhere: true } },
    reads: ['/v1/triggers', '/v1/triggers?event_source_id={webhook}'],
  },
  webhooks: {
    tables: { webhooks: { of: ['id', 'webhook'], fresh: ['id', 'token'], isElsewhere: true } },
    reads: ['/v1/webhooks'],
  },
  workflows: {
    tables: own('workflows', 'workflow', 'name'),
    reads: ['/v1/workflows', '/v1/workflows?cursor={next:next_cursor}'],
    growing: { '/v1/workflows?search=nothing': 'compares all texts with typos, 12 µs each, in turns' },
  },
  'workflow runs': {
    tables: { workflow_runs: { of: ['run_id', 'run'], fresh: ['run_id', 'execution_id'] } },
    reads: ['/v1/workflows/runs', '/v1/workflows/runs?next_page_token={next:next_page_token}'],
    growing: { '/v1/workflows/runs?search=nothing': 'looks at up to 100,000 runs for a page, in turns' },
  },
  schedules: {
    tables: { workflow_schedules: { of: ['id', 'schedule'], fresh: ['id'] } },
    // Without a size all of them come, one by one as they are read.
    reads: [
      '/v1/workflows/schedules?page_size=50',
      '/v1/workflows/schedules?page_size=50&next_page_token={next:next_page_token}',
    ],
  },
  deployments: {
    tables: { workflow_deployments: { of: ['name', 'deployment'], fresh: ['id', 'name'] } },
    reads: [
      '/v1/workflows/deployments?active_only=false&limit=50&cursor={next:next_cursor}',
      '/v1/workflows/deployments?limit=50',
      '/v1/workflows/deployments?active_only=false&limit=50',
    ],
  },
  registrations: {
    tables: own('workflow_registrations', 'registration', 'digest'),
    reads: ['/v1/workflows/registrations', '/v1/workflows/registrations?cursor={next:next_cursor}'],
  },
  ...streams,
};

import type { AskOptions } from '../platform/ask.ts';
import { ADMIN_KEY } from '../platform/start-platform.ts';

/** Objects that the writes refer to. */
export type Ground = {
  model: string;
  workspaceId: string;
  ownerId: string;
  promptId: string;
  conversationId: string;
  datasetId: string;
  evaluation: string;
  libraryId: string;
};

export type Write = AskOptions & {
  kind: Kind;
  path: string;
  /** Unique to this write; the verification looks for it in the tables. */
  mark: string;
};

type Make = (mark: string, ground: Ground) => AskOptions & { path: string };

/** One of each kind of object that the platform stores. */
export const kinds = {
  prompt: (mark) => ({ path: '/v2/prompts', body: { name: mark, definition: { content: mark } } }),
  version: (mark, { promptId }) => ({
    path: `/v2/prompts/${promptId}/versions`,
    body: { definition: { content: mark } },
  }),
  skill: (mark) => ({
    path: '/v2/skills',
    body: { name: mark, definition: { description: 'Does things.', body: '# Things\n' } },
  }),
  agent: (mark, { model }) => ({ path: '/v1/agents', body: { model, name: mark } }),
  conversation: (mark, { model }) => ({ path: '/v1/conversations', body: { model, inputs: mark } }),
  file: (mark) => ({
    path: '/v1/files',
    file: {
      name: `${mark}.jsonl`,
      content: `{"custom_id":"${mark}","body":{"messages":[{"role":"user","content":"hi"}]}}\n`,
      fields: { purpose: 'batch' },
    },
  }),
  document: (mark, { libraryId }) => ({
    path: `/v1/libraries/${libraryId}/documents`,
    // Of several chunks, so that a kill may come between two of them.
    file: { name: `${mark}.txt`, content: `The paper ${mark}.\n\n`.repeat(200), fields: {} },
  }),
  batch: (mark, { model }) => ({
    path: '/v1/batch/jobs',
    body: {
      endpoint: '/v1/chat/completions',
      model,
      metadata: { mark },
      requests: ['a', 'b', 'c'].map((custom_id) => ({
        custom_id,
        body: { messages: [{ role: 'user', content: custom_id }] },
      })),
    },
  }),
  execution: (mark) => ({
    path: '/v1/workflows/collect/execute',
    body: { execution_id: mark, input: { mark } },
  }),
  dataset: (mark) => ({ path: '/v1/observability/datasets', body: { name: mark, description: '' } }),
  record: (mark, { datasetId }) => ({
    path: `/v1/observability/datasets/${datasetId}/records`,
    body: { payload: { mark } },
  }),
  judge: (mark, { model }) => ({
    path: '/v1/observability/judges',
    body: {
      ...{ name: mark, description: '', model_name: model, instructions: 'Judge it.', tools: [] },
      output: { type: 'REGRESSION', min_description: 'bad', max_description: 'good' },
    },
  }),
  run: (mark, { evaluation }) => ({
    path: `/v1/observability/evaluations_v2/${evaluation}/runs`,
    body: { name: mark, dataset_id: 'answered', system: { kind: 'recorded' }, evaluators: [{ check: 'valid_json' }] },
  }),
  workspace: (mark, { ownerId }) => ({
    path: '/v1/admin/workspaces',
    key: ADMIN_KEY,
    body: { name: mark, admin_user_id: ownerId },
  }),
  key: (mark, { workspaceId, ownerId }) => ({
    path: '/v1/admin/api-keys',
    key: ADMIN_KEY,
    body: { name: mark, workspace_uuid: workspaceId, user_id: ownerId },
  }),
  group: (mark) => ({ path: '/v1/admin/user-groups', key: ADMIN_KEY, body: { name: mark } }),
  member: (mark) => ({
    path: '/v1/admin/users',
    key: ADMIN_KEY,
    body: [{ email: `${mark}@trust.test`, first_name: 'A', last_name: 'B', role_names: ['member'] }],
  }),
} satisfies Record<string, Make>;

export type Kind = keyof typeof kinds;

export const kindNames = Object.keys(kinds) as Kind[];

/** Every write has its own idempotency key, so that it can be repeated until it is answered. */
export function makeWrite(kind: Kind, mark: string, ground: Ground): Write {
  const make: Make = kinds[kind];
  return { kind, mark, ...make(mark, ground), headers: { 'idempotency-key': mark } };
}

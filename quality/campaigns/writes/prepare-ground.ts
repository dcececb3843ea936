import type { Ask } from '../platform/ask.ts';
import { ADMIN_KEY } from '../platform/start-platform.ts';
import type { Ground } from './kinds.ts';

export const MODEL = 'small';

const VECTORS = 'vectors';

/** The models of every write, and of its documents; `url` is their model server. */
export function configAt(url: string): object {
  const capabilities = { completion_chat: true, function_calling: true };
  const models = [
    { id: MODEL, engine: 'upstream', url, upstream_model: 'm', capabilities },
    { id: VECTORS, engine: 'upstream', url, kind: 'embeddings' },
  ];
  return { models, search: { embedding_model: VECTORS } };
}

/** Creates what other writes build on, before any fault. */
export async function prepareGround(ask: Ask): Promise<Ground> {
  async function need<T>(path: string, options?: Parameters<Ask>[1]): Promise<T> {
    const answer = await ask(path, options);
    if (answer?.status !== 200 && answer?.status !== 201) throw new Error(`${path}: ${answer?.text ?? 'no answer'}`);
    return answer.body as T;
  }
  const users = await need<{ members: { uuid: string }[] }>('/v1/admin/users', { key: ADMIN_KEY });
  const workspaces = await need<{ items: { uuid: string }[] }>('/v1/admin/workspaces', { key: ADMIN_KEY });
  const prompt = await need<{ id: string }>('/v2/prompts', { body: { name: 'ground', definition: { content: 'x' } } });
  const conversation = await need<{ conversation_id: string }>('/v1/conversations', {
    body: { model: MODEL, inputs: 'ground' },
  });
  const dataset = (name: string) =>
    need<{ id: string; slug: string }>('/v1/observability/datasets', { body: { name, description: '' } });
  const { id: datasetId } = await dataset('ground');
  const { slug: answered } = await dataset('answered');
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: '{}' },
  ];
  await need(`/v1/observability/datasets/${answered}/records`, { body: { payload: { messages } } });
  const project = await need<{ slug: string }>('/v1/observability/projects', { body: { name: 'ground' } });
  const evaluation = await need<{ slug: string }>(`/v1/observability/projects/${project.slug}/evaluations_v2`, {
    body: { name: 'ground' },
  });
  const library = await need<{ id: string }>('/v1/libraries', { body: { name: 'ground' } });
  return {
    datasetId,
    libraryId: library.id,
    evaluation: evaluation.slug,
    model: MODEL,
    ownerId: String(users.members[0]?.uuid),
    workspaceId: String(workspaces.items[0]?.uuid),
    promptId: prompt.id,
    conversationId: conversation.conversation_id,
  };
}

import { canEmbed, type Model } from '../../models/index.ts';

/** What search would embed with, or the model of this name; undefined where there is none. */
export function chooseEmbeddingModel(
  models: readonly Model[],
  wanted: string | undefined,
  preferred: string,
): Model | undefined {
  const able = models.filter((model) => canEmbed(model) && !model.capabilities.completion_chat);
  if (wanted !== undefined) return able.find(({ id, aliases }) => [id, ...aliases].includes(wanted));
  return able.find(({ id, aliases }) => [id, ...aliases].includes(preferred)) ?? able[0];
}

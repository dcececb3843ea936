import type { Upstream, UpstreamTarget } from '../engines/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import { notFound } from '../kit/http/index.ts';
import type { BaseModelCard } from './schema.ts';

/** A model the operator configured, and where its engine finds it. */
export type Model = {
  id: string;
  aliases: string[];
  name: string | null;
  description: string | null;
  max_context_length: number;
  capabilities: BaseModelCard['capabilities'];
  upstream: UpstreamTarget;
};

export type ModelService = {
  list(): BaseModelCard[];
  get(idOrAlias: string): BaseModelCard;
  /** By id or alias; undefined when the platform has no such model. */
  find(idOrAlias: string): Model | undefined;
  /** One whole completion by the model's engine, in the OpenAI form. */
  complete(model: Model, body: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
};

export function createModelService({
  models,
  upstream,
  now,
}: {
  models: Model[];
  upstream: Upstream;
  now: Clock;
}): ModelService {
  const created = Math.floor(now() / 1000);
  const byName = new Map<string, Model>();
  for (const model of models) for (const name of [model.id, ...model.aliases]) byName.set(name, model);

  const card = (model: Model): BaseModelCard => ({
    id: model.id,
    object: 'model',
    created,
    owned_by: 'tramontane',
    capabilities: model.capabilities,
    name: model.name,
    description: model.description,
    max_context_length: model.max_context_length,
    aliases: model.aliases,
    deprecation: null,
    deprecation_replacement_model: null,
    default_model_temperature: null,
    internal: false,
    type: 'base',
  });

  return {
    list: () => models.map(card),
    get(idOrAlias) {
      const model = byName.get(idOrAlias);
      if (!model) throw notFound('model', idOrAlias);
      return card(model);
    },
    find: (idOrAlias) => byName.get(idOrAlias),
    complete: (model, body, signal) => upstream.complete(model.upstream, body, signal),
  };
}

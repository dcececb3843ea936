import type { Model } from './model.ts';
import type { FineTunedModel, ModelCapabilities, ModelCard } from './schema.ts';

const OWNER = 'tramontane';

export function toCard(model: Model, created: number): ModelCard {
  const common = {
    id: model.id,
    object: 'model',
    owned_by: OWNER,
    capabilities: model.capabilities,
    name: model.name,
    description: model.description,
    max_context_length: model.max_context_length,
    aliases: namesOf(model),
    deprecation: model.deprecation,
    deprecation_replacement_model: model.replacement,
    default_model_temperature: model.temperature,
    internal: false,
  };
  if (!model.tuned) return { ...common, created: model.classifier?.created ?? created, type: 'base' };
  const { job, root, archived, workspace_id } = model.tuned;
  return { ...common, created: model.tuned.created, owned_by: workspace_id, type: 'fine-tuned', job, root, archived };
}

/** The card of another name for a model. Image and audio content of a public name may go to another model. */
export function toAliasCard(
  model: Model,
  alias: string,
  created: number,
  inChats: Partial<ModelCapabilities>,
): ModelCard {
  const card = toCard(model, created);
  const aliases = [model.id, ...card.aliases].filter((name) => name !== alias);
  const capabilities = { ...card.capabilities, ...inChats };
  return { ...card, id: alias, name: card.name ?? model.id, aliases, capabilities, alias_of: model.id } as ModelCard;
}

function namesOf({ aliases, standsFor = [] }: Model): string[] {
  return standsFor.length === 0 ? aliases : [...aliases, ...standsFor];
}

export function toFineTunedModel(model: Model): FineTunedModel {
  if (!model.tuned) throw new Error(`${model.id} is not fine-tuned`);
  const { job, root, archived, workspace_id, created, name, description } = model.tuned;
  const { completion_chat, completion_fim, function_calling, fine_tuning, classification } = model.capabilities;
  const common = {
    id: model.id,
    object: 'model' as const,
    created,
    owned_by: workspace_id,
    workspace_id,
    root,
    root_version: root,
    archived,
    name,
    description,
    capabilities: { completion_chat, completion_fim, function_calling, fine_tuning, classification },
    max_context_length: model.max_context_length,
    aliases: model.aliases,
    job,
  };
  if (!model.classifier) return { ...common, model_type: 'completion' };
  const classifier_targets = model.classifier.targets.map((target) => ({ ...target, weight: 1 }));
  return { ...common, classifier_targets, model_type: 'classifier' };
}

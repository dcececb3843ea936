import type { Model } from './model.ts';
import { sampleNames } from './sample-names.ts';

/**
 * Which model each name means. An id beats an alias, an earlier model beats a later one, and the names of public
 * samples mean the first model with the capability, unless the configuration gives them to another.
 */
export function nameModels(models: Model[], withSampleNames: boolean): { byName: Map<string, Model>; named: Model[] } {
  const aliases = new Map(models.map((model) => [model.id, [...model.aliases]]));
  const taken = new Set(models.flatMap((model) => [model.id, ...model.aliases]));
  const addAliases = (names: readonly string[], model: Model | undefined) => {
    for (const name of names) if (model && !taken.has(name)) aliases.get(model.id)?.push(name);
  };
  if (withSampleNames) {
    const chat = models.find(({ capabilities }) => capabilities.completion_chat);
    addAliases(sampleNames.chat, chat);
    addAliases(sampleNames.code, models.find(({ capabilities }) => capabilities.completion_fim) ?? chat);
    addAliases(
      sampleNames.embeddings,
      models.find(({ engine, capabilities }) => engine.embed !== undefined && !capabilities.completion_chat),
    );
    addAliases(
      sampleNames.moderation,
      models.find(({ capabilities }) => capabilities.moderation),
    );
    addAliases(
      sampleNames.ocr,
      models.find(({ capabilities }) => capabilities.ocr),
    );
    addAliases(
      sampleNames.speech,
      models.find(({ capabilities }) => capabilities.audio_speech),
    );
  }
  const named = models.map((model) => ({ ...model, aliases: aliases.get(model.id) ?? [] }));
  const byName = new Map<string, Model>();
  for (const model of [...named].reverse()) for (const alias of model.aliases) byName.set(alias, model);
  for (const model of [...named].reverse()) byName.set(model.id, model);
  return { byName, named };
}

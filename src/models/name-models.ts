import type { Model } from './model.ts';
import { createStandIns, type SampleAliases, type StandIns } from './stand-ins.ts';

/**
 * Which model each name means. An id beats an alias, an earlier model beats a later one, and public names stand in only
 * where no model has the name.
 */
export function nameModels(
  models: readonly Model[],
  sampleAliases: SampleAliases,
): { byName: Map<string, Model>; named: Model[]; standIns: StandIns } {
  const named = models.map((model) => ({ ...model, standsFor: [] as string[] }));
  const byName = new Map<string, Model>();
  for (const model of named.toReversed()) for (const alias of model.aliases) byName.set(alias, model);
  for (const model of named.toReversed()) byName.set(model.id, model);
  const standIns = createStandIns(named, byName, sampleAliases);
  const standsFor = new Map(named.map((model) => [model as Model, model.standsFor]));
  for (const [name, model] of standIns.published) standsFor.get(model)?.push(name);
  return { byName, named, standIns };
}

/** Whether a model was found by a public name that it does not have itself. */
export function isStandIn({ id, aliases }: Model, name: string): boolean {
  return id !== name && !aliases.includes(name);
}

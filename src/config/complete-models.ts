import { besides, chooseBuiltin } from './builtin-models.ts';
import type { FileConfig } from './schema.ts';

/** The built-in models follow those of the file. An empty list means that no model is wanted. */
export function completeModels(file: FileConfig, namesModels: boolean): FileConfig {
  const builtin = chooseBuiltin(file.builtin).map((model) => ({ ...model, isBuiltin: true as const }));
  if (!namesModels) return { ...file, models: builtin };
  if (file.models.length === 0) return file;
  const added = besides(file.models, builtin).map((model) => ({ ...model, isLazy: true as const }));
  return { ...file, models: [...file.models, ...added] };
}

/** Names of `sample_aliases` whose model does not exist. */
export function findUnknownTargets({
  models,
  sample_aliases: aliases,
}: FileConfig): { name: string; target: string }[] {
  if (typeof aliases === 'boolean') return [];
  const known = new Set(models.flatMap(({ id, aliases: others }) => [id, ...others]));
  return Object.entries(aliases).flatMap(([name, target]) =>
    target === false || known.has(target) ? [] : { name, target },
  );
}

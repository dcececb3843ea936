import { type ClassifierDefinition, packWeights } from '../../models/index.ts';
import { type FittedTarget, fitTargets, type TrainingFigures, type TrainingOptions } from './fit-targets.ts';
import type { Example } from './read-examples.ts';

export type { TrainingFigures } from './fit-targets.ts';
export type Training = { definition: ClassifierDefinition; figures: TrainingFigures };

/** In this process, which waits for it; `trainInThread` is for servers. */
export async function trainClassifier(
  examples: readonly Example[],
  vectors: readonly Float32Array[],
  options: TrainingOptions,
): Promise<Training> {
  const { fitted, figures } = await fitTargets(examples, vectors, options);
  return { definition: toDefinition(vectors[0]?.length ?? 0, fitted), figures };
}

export function toDefinition(dimensions: number, fitted: readonly FittedTarget[]): ClassifierDefinition {
  const targets = fitted.map(({ name, labels, loss_function, weights }) => ({
    ...{ name, labels, loss_function, weights: packWeights(weights) },
  }));
  return { dimensions, targets };
}

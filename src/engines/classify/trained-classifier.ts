import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../engine.ts';
import { engineErrors, refuseChat } from '../errors.ts';
import { type ClassifierDefinition, toHead } from './definition.ts';
import { nameScores, scoreTarget } from './score-target.ts';

/** Multiplications between two turns of the event loop; they take a few milliseconds. */
const STEPS_PER_TURN = 2_000_000;

/** Scores texts by the vectors of an embedding model, which stays open when the classifier is closed. */
export function createTrainedClassifier(root: Engine, { dimensions, targets }: ClassifierDefinition): Engine {
  const heads = targets.map(toHead);
  const stepsPerText = heads.reduce((sum, { weights }) => sum + weights.length, 0);
  return {
    ...refuseChat('classifies'),
    async classify(texts, signal, tally, tenant) {
      if (!root.embed) throw engineErrors.classifier_outdated('its embedding model makes no vectors any more');
      const { vectors, promptTokens } = await root.embed(texts, signal, undefined, tally, tenant);
      if (vectors.some(({ length }) => length !== dimensions))
        throw engineErrors.classifier_outdated('its embedding model makes vectors of another length');
      const results = [];
      let steps = 0;
      for (const vector of vectors) {
        results.push(
          Object.fromEntries(heads.map((head) => [head.name, nameScores(head.labels, scoreTarget(head, vector))])),
        );
        steps += stepsPerText;
        if (steps < STEPS_PER_TURN) continue;
        steps = 0;
        await nextTurn();
        signal.throwIfAborted();
      }
      return { results, promptTokens };
    },
    state: () => root.state(),
    close: async () => undefined,
  };
}

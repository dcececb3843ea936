import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createEmbedEngine, type EmbedOptions } from '../embed/index.ts';
import type { Engine } from '../engine.ts';
import { engineErrors, refuseChat } from '../errors.ts';
import { nameScores, toScores } from './score-target.ts';

/** The one question that such a model answers. */
const TARGET = 'label';

/** The part of a `config.json` that says what the outputs of the model mean. */
const ModelFile = z.object({
  id2label: z.record(z.string(), z.string()),
  problem_type: z.string().nullable().optional(),
});

/** A model for sequence classification as ONNX, in the process that also runs embedding models. */
export function createOnnxClassifier(options: EmbedOptions & { configFile: string }): Engine {
  const { configFile, ...rest } = options;
  const { id2label, problem_type } = ModelFile.parse(JSON.parse(readFileSync(configFile, 'utf8')));
  const labels = Array.from({ length: Object.keys(id2label).length }, (_, id) => id2label[id] ?? `LABEL_${id}`);
  const lossFunction = problem_type === 'multi_label_classification' ? 'multi_class' : 'single_class';
  const engine = createEmbedEngine({ ...rest, task: 'classify' });
  return {
    ...refuseChat('classifies'),
    async classify(texts, signal, tally, tenant) {
      const { vectors, promptTokens } = await engine.embed(texts, signal, undefined, tally, tenant);
      const results = vectors.map((logits) => {
        if (logits.length !== labels.length)
          throw engineErrors.classifier_outdated(
            `it has ${logits.length} outputs and config.json names ${labels.length} labels`,
          );
        return { [TARGET]: nameScores(labels, toScores(Array.from(logits), lossFunction)) };
      });
      return { results, promptTokens };
    },
    state: () => engine.state(),
    close: () => engine.close(),
  };
}

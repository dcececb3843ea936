import { badRequest } from '../kit/http/index.ts';
import type { Engine, Model, Moderation } from '../models/index.ts';
import { createEmbeddedClassifier, EMBEDDED_THRESHOLD } from './embedded/embedded-classifier.ts';
import { renameCategories } from './rename-categories.ts';

/** Whoever judges texts: a moderation model of a server, or our own over an embedding model. */
export type Classifier = {
  /** One judgement per text, in order, in the categories of this API. */
  classify(texts: string[], signal: AbortSignal): Promise<Moderation>;
  /** Where its own verdict begins; null when only it knows. */
  threshold: number | null;
};

/** One per engine, because making the embedded one takes a second or two. */
export function createClassifiers(): (model: Model) => Classifier {
  const known = new WeakMap<Engine, Classifier>();
  return (model) => {
    const { engine } = model;
    const classifier = known.get(engine) ?? makeClassifier(model);
    known.set(engine, classifier);
    return classifier;
  };
}

function makeClassifier({ id, engine, capabilities }: Model): Classifier {
  const { moderate, embed } = engine;
  if (capabilities.moderation && moderate) {
    const classify: Classifier['classify'] = async (texts, signal) => {
      const { judgements, promptTokens } = await moderate.call(engine, texts, signal);
      return { judgements: judgements.map(renameCategories), promptTokens };
    };
    return { classify, threshold: null };
  }
  if (capabilities.moderation && embed)
    return { classify: createEmbeddedClassifier(embed.bind(engine)), threshold: EMBEDDED_THRESHOLD };
  throw badRequest(`The model '${id}' cannot moderate. Choose one whose card has the capability moderation.`);
}

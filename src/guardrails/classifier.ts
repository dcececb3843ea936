import type { Tenant } from '../kit/fair-queue/index.ts';
import type { Engine, Judgement, Model, Moderation, Tally } from '../models/index.ts';
import { createEmbeddedClassifier, EMBEDDED_THRESHOLD } from './embedded/embedded-classifier.ts';
import { guardrailErrors } from './errors.ts';

/** OpenAI's categories in the names of this API. One may become two. */
const RENAMED: Readonly<Record<string, readonly string[]>> = {
  'sexual/minors': ['sexual'],
  hate: ['hate_and_discrimination'],
  'hate/threatening': ['hate_and_discrimination', 'violence_and_threats'],
  harassment: ['hate_and_discrimination'],
  'harassment/threatening': ['violence_and_threats'],
  violence: ['violence_and_threats'],
  'violence/graphic': ['violence_and_threats'],
  'self-harm': ['selfharm'],
  'self-harm/intent': ['selfharm'],
  'self-harm/instructions': ['selfharm'],
  illicit: ['criminal'],
  'illicit/violent': ['criminal', 'dangerous'],
};

/** A moderation model of a server, or the embedded classifier over an embedding model. */
export type Classifier = {
  /** One judgement per text, in order, in the categories of this API. */
  classify(texts: string[], signal: AbortSignal, tally?: Tally, tenant?: Tenant): Promise<Moderation>;
  /** The score above which it flags a category; null when it does not tell. */
  threshold: number | null;
};

/** Cached by engine: the embedded classifier takes a second or two to create. */
export function createClassifiers(): (model: Model) => Classifier {
  const known = new WeakMap<Engine, Classifier>();
  return (model) => {
    const { engine } = model;
    const classifier = known.get(engine) ?? createClassifier(model);
    known.set(engine, classifier);
    return classifier;
  };
}

function createClassifier({ id, engine, capabilities }: Model): Classifier {
  const { moderate, embed } = engine;
  if (capabilities.moderation && moderate) {
    const classify: Classifier['classify'] = async (texts, signal, tally) => {
      const { judgements, promptTokens } = await moderate.call(engine, texts, signal, tally);
      return { judgements: judgements.map(renameCategories), promptTokens };
    };
    return { classify, threshold: null };
  }
  if (capabilities.moderation && embed)
    return { classify: createEmbeddedClassifier(embed.bind(engine)), threshold: EMBEDDED_THRESHOLD };
  throw guardrailErrors.moderation_unsupported(id);
}

/** Mistral's names are ours already; an unknown name is kept. */
function renameCategories({ scores, flags }: Judgement): Judgement {
  const renamed: Judgement = { scores: {}, flags: {} };
  const namesOf = (name: string) => (Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined) ?? [name];
  for (const [theirs, score] of Object.entries(scores))
    for (const name of namesOf(theirs)) renamed.scores[name] = Math.max(renamed.scores[name] ?? 0, score);
  for (const [theirs, flag] of Object.entries(flags))
    for (const name of namesOf(theirs)) renamed.flags[name] = (renamed.flags[name] ?? false) || flag;
  return renamed;
}

import type { Tenant } from '../kit/fair-queue/index.ts';
import type { Engine, Judgement, Model, Moderation, Tally, TargetScores } from '../models/index.ts';
import { isCategory } from './categories.ts';
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

/** The scores of a classifier are calibrated: above this a label is likelier than not. */
const LABEL_THRESHOLD = 0.5;

/** A moderation model of a server, a classifier with the names of categories, or the embedded one. */
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
  const { moderate, embed, classify } = engine;
  if (capabilities.classification && classify)
    return {
      threshold: LABEL_THRESHOLD,
      async classify(texts, signal, tally, tenant) {
        const { results, promptTokens } = await classify.call(engine, texts, signal, tally, tenant);
        return { judgements: results.map((targets) => judgeByLabels(id, targets)), promptTokens };
      },
    };
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

/** The labels of a classifier that are names of categories, in whichever target they are; others mean nothing here. */
function judgeByLabels(id: string, targets: TargetScores): Judgement {
  const judgement: Judgement = { scores: {}, flags: {} };
  for (const scores of Object.values(targets))
    for (const [label, score] of Object.entries(scores)) {
      if (!isCategory(label)) continue;
      judgement.scores[label] = Math.max(judgement.scores[label] ?? 0, score);
      judgement.flags[label] = (judgement.scores[label] ?? 0) > LABEL_THRESHOLD;
    }
  if (Object.keys(judgement.scores).length === 0) throw guardrailErrors.moderation_unsupported(id);
  return judgement;
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

import type { Judgement, Model } from '../models/index.ts';
import { type Category, categories } from './categories.ts';
import { createClassifiers } from './classifier.ts';
import { decideCategories } from './decide-categories.ts';
import { readSentences, type Sentence } from './embedded/read-sentences.ts';

const BATCH_TEXTS = 64;

/** Precision and recall are null where there is nothing to divide. */
export type Figures = {
  sentences: number;
  found: number;
  missed: number;
  wrong: number;
  precision: number | null;
  recall: number | null;
};

export type Evaluation = {
  model: string;
  sentences: number;
  /** Sentences without any category. */
  harmless: number;
  categories: Record<Category, Figures>;
  /** Over all categories of all sentences. */
  overall: Figures;
  /** Whether any category was found in a sentence that has one, the right one or not. */
  any: Figures;
};

/** Classifies the held-out sentences with each category's default threshold. */
export async function evaluate(model: Model, signal: AbortSignal): Promise<Evaluation> {
  const sentences = await readSentences('held-out');
  const { classify, threshold } = createClassifiers()(model);
  const texts = sentences.map(({ text }) => text);
  const judgements: Judgement[] = [];
  // In batches of the size of a request: longer input is classified less closely.
  while (judgements.length < texts.length) {
    const batch = texts.slice(judgements.length, judgements.length + BATCH_TEXTS);
    judgements.push(...(await classify(batch, signal)).judgements);
  }
  const config = { model_name: model.id, ignore_other_categories: false, action: 'none' as const };
  const found = judgements.map((judgement) => {
    const decisions = decideCategories('moderation_llm_v2', config, judgement, threshold);
    return new Set(categories.filter((category) => decisions[category]?.violated));
  });
  const byCategory = categories.map((category): [Category, Figures] => [category, count(sentences, found, [category])]);
  return {
    model: model.id,
    sentences: sentences.length,
    harmless: sentences.filter((sentence) => sentence.categories.length === 0).length,
    categories: Object.fromEntries(byCategory) as Record<Category, Figures>,
    overall: sum(byCategory.map(([, figures]) => figures)),
    any: count(sentences, found, categories),
  };
}

function count(sentences: Sentence[], found: ReadonlySet<Category>[], wanted: readonly Category[]): Figures {
  let [right, missed, wrong] = [0, 0, 0];
  for (const [index, sentence] of sentences.entries()) {
    const isThere = wanted.some((category) => sentence.categories.includes(category));
    const isFound = wanted.some((category) => found[index]?.has(category));
    if (isThere && isFound) right += 1;
    else if (isThere) missed += 1;
    else if (isFound) wrong += 1;
  }
  return figuresOf(right, missed, wrong);
}

function sum(all: Figures[]): Figures {
  const total = (of: 'found' | 'missed' | 'wrong') => all.reduce((total, figures) => total + figures[of], 0);
  return figuresOf(total('found'), total('missed'), total('wrong'));
}

function figuresOf(found: number, missed: number, wrong: number): Figures {
  const share = (whole: number) => (whole === 0 ? null : Math.round((found / whole) * 1000) / 1000);
  return {
    sentences: found + missed,
    found,
    missed,
    wrong,
    precision: share(found + wrong),
    recall: share(found + missed),
  };
}

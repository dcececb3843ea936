import type { Judgement, Model } from '../models/index.ts';
import { type Category, categories } from './categories.ts';
import { createClassifiers } from './classifier.ts';
import { readSentences, type Sentence } from './embedded/read-sentences.ts';
import { judgeGuardrail } from './judge-guardrail.ts';

const BATCH_TEXTS = 64;

/** `precision`: how often it is right when it speaks; `recall`: how much it finds. Null where there is nothing to divide. */
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
  /** Of them, those without any category. */
  sentences: number;
  harmless: number;
  categories: Record<Category, Figures>;
  /** All judgements together, each category of each sentence counting once. */
  overall: Figures;
  /** Whether anything at all was found in a sentence that has a category; right category or not. */
  any: Figures;
};

/** Judges the sentences that no prototype was made from, with each category's default threshold. */
export async function evaluate(model: Model, signal: AbortSignal): Promise<Evaluation> {
  const sentences = await readSentences('held-out');
  const { classify, threshold } = createClassifiers()(model);
  const texts = sentences.map(({ text }) => text);
  const judgements: Judgement[] = [];
  // A few at a time, as requests are: of very long ones less is looked at.
  while (judgements.length < texts.length) {
    const batch = texts.slice(judgements.length, judgements.length + BATCH_TEXTS);
    judgements.push(...(await classify(batch, signal)).judgements);
  }
  const config = { model_name: model.id, ignore_other_categories: false, action: 'none' as const };
  const found = judgements.map((judgement) => {
    const decisions = judgeGuardrail('moderation_llm_v2', config, judgement, threshold);
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

/** Of the sentences that have one of these categories, and of those in which one of them was found. */
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

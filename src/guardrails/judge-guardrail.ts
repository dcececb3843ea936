import type { Judgement } from '../models/index.ts';
import { categoriesOf, type GuardrailKind, otherNames } from './categories.ts';
import type { GuardrailConfig } from './schema/guardrails.ts';

/** `threshold` is null where the model's own verdict counts. */
export type Decision = { threshold: number | null; score: number; violated: boolean };
export type Decisions = Record<string, Decision>;

type ModerationConfig = NonNullable<GuardrailConfig[GuardrailKind]>;

/** All texts of a request as one: what is found in any of them is found. */
export function mergeJudgements(judgements: readonly Judgement[]): Judgement {
  const merged: Judgement = { scores: {}, flags: {} };
  for (const { scores, flags } of judgements) {
    for (const [name, score] of Object.entries(scores)) merged.scores[name] = Math.max(merged.scores[name] ?? 0, score);
    for (const [name, flag] of Object.entries(flags)) merged.flags[name] = (merged.flags[name] ?? false) || flag;
  }
  return merged;
}

/**
 * A score above its threshold violates, so 1 switches a category off. A category without a threshold of its own has
 * the model's, or its verdict where it tells none, or is not looked at when the others are to be ignored.
 */
export function judgeGuardrail(
  kind: GuardrailKind,
  config: ModerationConfig,
  judgement: Judgement,
  modelThreshold: number | null,
): Decisions {
  const thresholds: Record<string, number | null | undefined> = config.custom_category_thresholds ?? {};
  const decisions: Decisions = {};
  for (const category of categoriesOf[kind]) {
    const own = thresholds[category] ?? null;
    if (own === null && config.ignore_other_categories) continue;
    const threshold = own ?? modelThreshold;
    const found = read(judgement, category);
    if (found) decisions[category] = { threshold, score: found.score, violated: isViolated(found, threshold) };
  }
  return decisions;
}

/** Categories with a threshold of their own that the model does not judge: a check that nobody made. */
export function missingCategories(config: ModerationConfig, judgement: Judgement): string[] {
  return Object.entries(config.custom_category_thresholds ?? {})
    .filter(([category, threshold]) => typeof threshold === 'number' && !read(judgement, category))
    .map(([category]) => category);
}

function isViolated({ score, flag }: { score: number; flag: boolean }, threshold: number | null): boolean {
  return threshold === null ? flag : score > threshold;
}

function read({ scores, flags }: Judgement, category: string): { score: number; flag: boolean } | undefined {
  const names = scores[category] === undefined ? (otherNames[category] ?? []) : [category];
  const known = names.filter((name) => scores[name] !== undefined);
  if (known.length === 0) return undefined;
  return {
    score: Math.max(...known.map((name) => scores[name] ?? 0)),
    flag: known.some((name) => flags[name]),
  };
}

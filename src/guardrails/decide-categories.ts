import type { Judgement } from '../models/index.ts';
import { categoriesOf, type GuardrailKind, otherNames } from './categories.ts';
import type { GuardrailConfig } from './schema/guardrails.ts';

/** `threshold` is null where the model's own flag decides. */
export type Decision = { threshold: number | null; score: number; violated: boolean };
export type Decisions = Record<string, Decision>;

type ModerationConfig = NonNullable<GuardrailConfig[GuardrailKind]>;

/** Merges the judgements of all texts of a request: the highest score counts. */
export function mergeJudgements(judgements: readonly Judgement[]): Judgement {
  const merged: Judgement = { scores: {}, flags: {} };
  for (const { scores, flags } of judgements) {
    for (const [name, score] of Object.entries(scores)) merged.scores[name] = Math.max(merged.scores[name] ?? 0, score);
    for (const [name, flag] of Object.entries(flags)) merged.flags[name] = (merged.flags[name] ?? false) || flag;
  }
  return merged;
}

/**
 * A score above its threshold is a violation, so 1 switches a category off. Without a custom threshold the model's
 * threshold or its flag decides, unless ignore_other_categories is set.
 */
export function decideCategories(
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
    const found = findScore(judgement, category);
    if (found) decisions[category] = { threshold, score: found.score, violated: isViolated(found, threshold) };
  }
  return decisions;
}

/** Categories with a custom threshold that the model does not score. */
export function missingCategories(config: ModerationConfig, judgement: Judgement): string[] {
  return Object.entries(config.custom_category_thresholds ?? {})
    .filter(([category, threshold]) => typeof threshold === 'number' && !findScore(judgement, category))
    .map(([category]) => category);
}

function isViolated({ score, flag }: { score: number; flag: boolean }, threshold: number | null): boolean {
  return threshold === null ? flag : score > threshold;
}

function findScore({ scores, flags }: Judgement, category: string): { score: number; flag: boolean } | undefined {
  const names = scores[category] === undefined ? (otherNames[category] ?? []) : [category];
  const known = names.filter((name) => scores[name] !== undefined);
  if (known.length === 0) return undefined;
  return {
    score: Math.max(...known.map((name) => scores[name] ?? 0)),
    flag: known.some((name) => flags[name]),
  };
}

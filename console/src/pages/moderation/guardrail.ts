import type { GuardrailConfig } from '../../../../src/guardrails/schema/guardrails.ts';

/** What is checked, in the order of the page. */
export const categories = {
  sexual: 'Sexual',
  hate_and_discrimination: 'Hate and discrimination',
  violence_and_threats: 'Violence and threats',
  dangerous: 'Dangerous',
  criminal: 'Criminal',
  selfharm: 'Self-harm',
  health: 'Health advice',
  financial: 'Financial advice',
  law: 'Legal advice',
  pii: 'Personal data',
  jailbreaking: 'Jailbreaking',
} as const;
export type Category = keyof typeof categories;
export const names = Object.keys(categories) as Category[];

/** Categories without a threshold are not checked. */
export type Thresholds = Partial<Record<Category, number>>;

export const startThresholds: Thresholds = {
  ...{ sexual: 0.5, hate_and_discrimination: 0.5, violence_and_threats: 0.5, dangerous: 0.5 },
  ...{ criminal: 0.5, selfharm: 0.5, jailbreaking: 0.5 },
};

export function guardrailOf(model: string, thresholds: Thresholds): GuardrailConfig {
  return {
    block_on_error: false,
    moderation_llm_v2: {
      model_name: model,
      custom_category_thresholds: thresholds,
      ignore_other_categories: true,
      action: 'block',
    },
  };
}

/** What an agent has already; undefined where its guardrail is of another kind. */
export function thresholdsOf(guardrails: readonly GuardrailConfig[] | null | undefined): Thresholds | undefined {
  const set = guardrails?.[0]?.moderation_llm_v2?.custom_category_thresholds;
  if (!set) return undefined;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = set[name];
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  );
}

export function isBlocked(scores: Record<string, number>, thresholds: Thresholds): Category[] {
  return names.filter((name) => {
    const limit = thresholds[name];
    return limit !== undefined && (scores[name] ?? 0) > limit;
  });
}

import type { Judgement, Model } from '../models/index.ts';
import type { GuardrailKind } from './categories.ts';
import { type Decisions, decideCategories, mergeJudgements, missingCategories } from './decide-categories.ts';
import { guardrailErrors } from './errors.ts';
import type { GuardrailConfig } from './schema/guardrails.ts';

/** One guardrail of a request, and its moderation model. */
export type Check = {
  kind: GuardrailKind;
  config: NonNullable<GuardrailConfig[GuardrailKind]>;
  blockOnError: boolean;
  model: Model;
};

/** The decisions of a check, or why it failed. */
export type Outcome = { check: Check } & ({ decisions: Decisions } | { failure: string });

/** The judgements of a model, or why it failed. */
export type Classified = { judgements: Judgement[]; threshold: number | null } | { failure: string };

export function toCheck(guardrail: GuardrailConfig, findModel: (name: string) => Model): Check {
  const { moderation_llm_v1: first, moderation_llm_v2: second, block_on_error: blockOnError } = guardrail;
  if (Boolean(first) === Boolean(second)) throw guardrailErrors.guardrail_invalid();
  if (first) return { kind: 'moderation_llm_v1', config: first, blockOnError, model: findModel(first.model_name) };
  if (second) return { kind: 'moderation_llm_v2', config: second, blockOnError, model: findModel(second.model_name) };
  throw new Error('One of the two is there.');
}

/** Each model classifies once, however many guardrails use it. */
export async function runChecks(
  checks: readonly Check[],
  classify: (model: Model) => Promise<Classified>,
): Promise<Outcome[]> {
  const byModel = new Map<string, Promise<Classified>>();
  const classifiedBy = (model: Model) => {
    const classified = byModel.get(model.id) ?? classify(model);
    byModel.set(model.id, classified);
    return classified;
  };
  return Promise.all(checks.map(async (check) => toOutcome(check, await classifiedBy(check.model))));
}

function toOutcome(check: Check, classified: Classified): Outcome {
  if ('failure' in classified) return { check, failure: classified.failure };
  // There was no text to classify.
  if (classified.judgements.length === 0) return { check, decisions: {} };
  const judgement = mergeJudgements(classified.judgements);
  const missing = missingCategories(check.config, judgement);
  if (missing.length > 0)
    return { check, failure: `The model '${check.model.id}' does not score ${missing.join(', ')}.` };
  return { check, decisions: decideCategories(check.kind, check.config, judgement, classified.threshold) };
}

import { badRequest } from '../kit/http/index.ts';
import type { Judgement, Model } from '../models/index.ts';
import type { GuardrailKind } from './categories.ts';
import { type Decisions, judgeGuardrail, mergeJudgements, missingCategories } from './judge-guardrail.ts';
import type { GuardrailConfig } from './schema/guardrails.ts';

/** One guardrail of a request, and the model that judges for it. */
export type Check = {
  kind: GuardrailKind;
  config: NonNullable<GuardrailConfig[GuardrailKind]>;
  blockOnError: boolean;
  model: Model;
};

/** What a check found, or why it found nothing out. */
export type Outcome = { check: Check } & ({ decisions: Decisions } | { failure: string });

/** What a model said about the input, or why it said nothing. */
export type Judged = { judgements: Judgement[]; threshold: number | null } | { failure: string };

export function toCheck(guardrail: GuardrailConfig, findModel: (name: string) => Model): Check {
  const { moderation_llm_v1: first, moderation_llm_v2: second, block_on_error: blockOnError } = guardrail;
  if (Boolean(first) === Boolean(second))
    throw badRequest('Each guardrail holds exactly one of moderation_llm_v1 and moderation_llm_v2.');
  if (first) return { kind: 'moderation_llm_v1', config: first, blockOnError, model: findModel(first.model_name) };
  if (second) return { kind: 'moderation_llm_v2', config: second, blockOnError, model: findModel(second.model_name) };
  throw new Error('One of the two is there.');
}

/** Each model is asked once, however many guardrails it judges for. */
export async function runChecks(checks: readonly Check[], ask: (model: Model) => Promise<Judged>): Promise<Outcome[]> {
  const asked = new Map<string, Promise<Judged>>();
  const judgedBy = (model: Model) => {
    const judging = asked.get(model.id) ?? ask(model);
    asked.set(model.id, judging);
    return judging;
  };
  return Promise.all(checks.map(async (check) => outcomeOf(check, await judgedBy(check.model))));
}

function outcomeOf(check: Check, judged: Judged): Outcome {
  if ('failure' in judged) return { check, failure: judged.failure };
  // Without a word of text there is nothing to find.
  if (judged.judgements.length === 0) return { check, decisions: {} };
  const judgement = mergeJudgements(judged.judgements);
  const missing = missingCategories(check.config, judgement);
  if (missing.length > 0)
    return { check, failure: `The model '${check.model.id}' does not judge ${missing.join(', ')}.` };
  return { check, decisions: judgeGuardrail(check.kind, check.config, judgement, judged.threshold) };
}

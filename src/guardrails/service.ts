import type { Clock } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import type { Logger } from '../kit/base/log.ts';
import { ApiError } from '../kit/http/index.ts';
import { type Call, type Meter, startRun, type UsageRecord } from '../metering/index.ts';
import { deprecationHeaders, type Model, type ModelService } from '../models/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { createClassifiers } from './classifier.ts';
import { guardrailErrors } from './errors.ts';
import { isBlocking, passActionOf, refuseBlocked, refuseUnchecked } from './refuse-input.ts';
import { type Classified, type Outcome, runChecks, toCheck } from './run-checks.ts';
import type { GuardrailConfig, GuardrailResult } from './schema/guardrails.ts';
import type { ModerationResponse } from './schema/moderations.ts';

const CHARACTERS_PER_TOKEN = 4;
const TEXTS_MAX = 512;
/** About a hundred thousand tokens, which take the embedded classifier about ten seconds. */
const CHARACTERS_MAX = 400_000;

export type GuardrailService = {
  /** One result per text, in order. */
  moderate(call: Call, model: string, texts: string[]): Promise<ModerationResponse>;
  /**
   * Checks the input of a model. Throws a 403 when it is blocked, else returns the results for the response.
   * The request itself must be counted already: this adds only the tokens of the check.
   */
  check(call: Call, guardrails: readonly GuardrailConfig[], texts: readonly string[]): Promise<GuardrailResult[]>;
};

export type GuardrailPorts = {
  models: Pick<ModelService, 'find'>;
  now: Clock;
  log: Logger;
  meter?: Meter | undefined;
  onUsage?: ((record: UsageRecord) => void) | undefined;
};

export function createGuardrailService({ models, now, log, meter, onUsage }: GuardrailPorts): GuardrailService {
  const classifierOf = createClassifiers();
  const accounts = { now, meter, onUsage };

  function findModel({ scope, setHeader }: Call, name: string, refusal: string): Model {
    const model = models.find(name, scope.workspace_id, 'moderation');
    if (!model) throw guardrailErrors.moderation_model_not_found(refusal, name);
    classifierOf(model);
    for (const [header, value] of Object.entries(deprecationHeaders(model))) setHeader(header, value);
    return model;
  }

  async function startModeration(call: Call, model: Model, texts: readonly string[], isPart: boolean) {
    const estimatedTokens = Math.ceil(countCharacters(texts) / CHARACTERS_PER_TOKEN);
    return startRun(accounts, call, { kind: 'moderation', model: model.id, estimatedTokens, isPart });
  }

  /** A failed classifier is a result for the guardrail; the caller's limits and our own bugs fail the request. */
  async function classifyInput(call: Call, model: Model, texts: string[]): Promise<Classified> {
    const { classify, threshold } = classifierOf(model);
    if (texts.length === 0) return { judgements: [], threshold };
    const run = await startModeration(call, model, texts, true);
    try {
      const { judgements } = await classify(texts, call.signal, run, tenantOf(call.scope));
      run.settle(200);
      return { judgements, threshold };
    } catch (error) {
      const failure = run.fail(error);
      if (call.signal.aborted || !(failure instanceof ApiError)) throw failure;
      log.warn({ err: failure, model: model.id, requestId: call.requestId }, 'a guardrail could not check an input');
      return { failure: failure.message };
    }
  }

  return {
    async moderate(call, name, texts) {
      const model = findModel(call, name, 'Invalid model');
      const { classify } = classifierOf(model);
      checkTexts(texts);
      const run = await startModeration(call, model, texts, false);
      try {
        const { judgements } = await classify(texts, call.signal, run, tenantOf(call.scope));
        run.settle(200);
        const results = judgements.map(({ scores, flags }) => ({ categories: flags, category_scores: scores }));
        return { id: hexId(), model: model.id, results };
      } catch (error) {
        throw run.fail(error);
      }
    },

    async check(call, guardrails, texts) {
      const modelOf = (name: string) => findModel(call, name, 'Invalid model of a guardrail');
      const checks = guardrails.map((guardrail) => toCheck(guardrail, modelOf));
      const inputs = texts.filter((text) => text.trim() !== '');
      checkLength(inputs);
      const outcomes = await runChecks(checks, (model) => classifyInput(call, model, inputs));
      if (outcomes.some(isBlocking)) throw refuseBlocked(outcomes);
      const failures = outcomes.flatMap((outcome) =>
        'failure' in outcome && outcome.check.blockOnError ? [{ check: outcome.check, message: outcome.failure }] : [],
      );
      if (failures.length > 0) throw refuseUnchecked(failures);
      return outcomes.map(toResult);
    },
  };
}

function toResult(outcome: Outcome): GuardrailResult {
  const { check } = outcome;
  const action = passActionOf(check);
  if ('failure' in outcome) return { [check.kind]: { action, error: { message: outcome.failure } } };
  const categories = Object.fromEntries(
    Object.entries(outcome.decisions).map(([category, { score, violated }]) => [category, { score, violated }]),
  );
  return { [check.kind]: { action, categories } };
}

function checkTexts(texts: readonly string[]): void {
  if (texts.length === 0 || texts.some((text) => text.trim() === ''))
    throw guardrailErrors.moderation_input_invalid(
      'There is nothing to moderate: send at least one text, and none that is empty.',
    );
  if (texts.length > TEXTS_MAX)
    throw guardrailErrors.moderation_input_invalid(
      `At most ${TEXTS_MAX} texts are moderated at once, not ${texts.length}. Split them.`,
    );
  checkLength(texts);
}

function checkLength(texts: readonly string[]): void {
  if (countCharacters(texts) > CHARACTERS_MAX)
    throw guardrailErrors.moderation_input_invalid(
      `At most ${CHARACTERS_MAX} characters are moderated at once. Send less text.`,
    );
}

function countCharacters(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

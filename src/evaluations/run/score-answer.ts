import { ApiError, type InnerAnswer, ValidationFailed } from '../../kit/http/index.ts';
import { type RecordInput, textOf } from '../read-record.ts';
import type { Check, Evaluator, JudgeDefinition } from '../schema/evaluators.ts';
import { callWithRetries, spend, type UnitContext } from './ask-system.ts';

export type Score = {
  value: number | null;
  label: string | null;
  rationale: string | null;
  error: string | null;
};

/** One score of one evaluator for one answer. */
export async function scoreAnswer(
  context: UnitContext,
  { judge, check }: Evaluator,
  input: RecordInput,
  answer: Record<string, unknown>,
  requestId: string,
): Promise<Score> {
  if (check) return runCheck(check, textOf(answer.content), input.expected);
  const conversation = { messages: [...input.messages, answer], properties: withoutVariables(input.properties) };
  return askJudge(context, judge as JudgeDefinition, conversation, requestId);
}

/** A judge that cannot answer is the error of the score. */
export async function askJudge(
  context: UnitContext,
  judge: Pick<JudgeDefinition, 'model_name' | 'instructions' | 'output'>,
  conversation: { messages: Record<string, unknown>[]; properties: Record<string, unknown> },
  requestId: string,
): Promise<Score> {
  const { judges, models } = context.ports;
  let score: Score | undefined;
  const answer = await callWithRetries(context, judge.model_name, async (scope, signal): Promise<InnerAnswer> => {
    try {
      const call = { scope, requestId, signal, setHeader: () => undefined };
      const given = await judges.judge(call, judge, conversation);
      spend(context, models.find(judge.model_name, scope.workspace_id)?.id ?? judge.model_name, given.usage);
      const value = typeof given.answer === 'number' ? given.answer : null;
      const label = typeof given.answer === 'string' ? given.answer : null;
      score = { value, label, rationale: storable(given.analysis), error: null };
      return { status: 200, body: null };
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, body: { message: error.message } };
      if (error instanceof ValidationFailed) return { status: 422, body: { message: error.items[0]?.msg } };
      throw error;
    }
  });
  if (score) return score;
  return { value: null, label: null, rationale: null, error: (answer.body as { message: string }).message };
}

/** PostgreSQL cannot store NUL in a text. */
export const storable = (text: string): string => text.replaceAll('\0', '\ufffd');

function withoutVariables({ variables: _, ...properties }: Record<string, unknown>): Record<string, unknown> {
  return properties;
}

function runCheck(check: Check, said: string, expected: string | null): Score {
  const result = (isGood: boolean): Score => ({ value: Number(isGood), label: null, rationale: null, error: null });
  if (check === 'valid_json') return result(isJson(said));
  if (expected === null)
    return { ...result(false), value: null, error: 'The record has no `expected` property to compare with.' };
  const [a, b] = [said.trim(), expected.trim()];
  return result(check === 'exact_match' ? a === b : a.toLowerCase().includes(b.toLowerCase()));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

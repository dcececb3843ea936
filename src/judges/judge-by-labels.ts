import type { ClassifierService } from '../classifiers/index.ts';
import type { Call } from '../metering/index.ts';
import { judgeErrors } from './errors.ts';
import type { JudgeDefinition, Judgement } from './judge-conversation.ts';
import type { JudgeConversationRequest } from './schema.ts';

const SHOWN_MAX = 5;

/** A judge whose model is a classifier: its options are labels of one target, and the likeliest of them is the answer. */
export async function judgeByLabels(
  classifiers: Pick<ClassifierService, 'scoreChat'>,
  call: Call,
  { model_name, output }: JudgeDefinition,
  { messages }: JudgeConversationRequest,
): Promise<Judgement> {
  if (output.type !== 'CLASSIFICATION')
    throw judgeErrors.judge_model_unsuitable(model_name, 'its answers are labels and not numbers');
  const { model, results, promptTokens } = await classifiers.scoreChat(call, model_name, { messages });
  const options = output.options.map(({ value }) => value);
  const target = Object.entries(results[0] ?? {}).find(([, scores]) =>
    options.every((option) => Object.hasOwn(scores, option)),
  );
  if (!target) throw judgeErrors.judge_model_unsuitable(model, 'no target of it has all the options as labels');
  const [name, scores] = target;
  const ranked = options.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const shown = ranked.slice(0, SHOWN_MAX).map((option) => `${option} ${(scores[option] ?? 0).toFixed(2)}`);
  return {
    analysis: `The classifier ${model} scored the target ${name}: ${shown.join(', ')}.`,
    answer: ranked[0] ?? '',
    usage: { prompt_tokens: promptTokens, completion_tokens: 0, total_tokens: promptTokens },
  };
}

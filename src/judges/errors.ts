import { defineErrors, missing } from '../kit/http/index.ts';

export const judgeErrors = defineErrors({
  judge_not_found: missing('judge'),
  judge_name_taken: {
    status: 409,
    when: 'Another judge of the workspace has this name.',
    fix: 'Choose another name, or update that judge.',
    message: (name: string) => `There is a judge '${name}' already. Choose another name, or update that one.`,
  },
  judge_output_invalid: {
    status: 422,
    when: 'Two options of a judge have the same value, or its minimum is not below its maximum.',
    fix: 'Give each option a value of its own, and `min` a smaller number than `max`.',
  },
  judge_model_unsuitable: {
    status: 400,
    when: 'The model of a judge is a classifier that does not have the options of the judge among the labels of one target.',
    fix: 'Give the judge the labels of the classifier as options, or choose a chat model for it.',
    message: (model: string, problem: string) =>
      `The classifier '${model}' cannot judge this: ${problem}. Give the judge its labels as options, or choose a chat model.`,
  },
  judge_answer_invalid: {
    status: 502,
    when: 'The model of a judge did not answer with an analysis and one of the answers that the judge allows.',
    fix: 'Try again, choose another model for the judge, or shorten what is judged.',
    message: (model: string, problem: string) =>
      `The model '${model}' gave no answer that this judge allows: ${problem}. Try again, or choose another model.`,
  },
});

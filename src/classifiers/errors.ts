import { defineErrors } from '../kit/http/index.ts';
import { adviseConfiguration } from '../models/index.ts';

const TRAIN = 'The operator makes one with tramontane classifiers train.';

export const classifierErrors = defineErrors({
  classifier_not_found: {
    status: 400,
    when: 'The workspace of the key has no classifier of this name.',
    fix: 'Choose a model of `GET /v1/models` that has the capability `classification`.',
    message: (name: string) =>
      `Invalid model: ${name}. Choose one whose card has the capability classification. ${TRAIN} ${adviseConfiguration('classification', name)}`,
    type: 'invalid_model',
    wireCode: '1500',
  },
  classification_unsupported: {
    status: 400,
    when: 'The model cannot classify.',
    fix: 'Choose a model whose card has the capability `classification`.',
    message: (id: string) =>
      `The model '${id}' cannot classify. Choose one whose card has the capability classification. ${TRAIN}`,
  },
  classification_input_invalid: {
    status: 400,
    when: 'There is no text to classify, one is empty, or there is too much text.',
    fix: 'Send at least one text, none of them empty, within the limits of the message.',
  },
});

import { defineErrors, missing } from '../kit/http/index.ts';
import { adviseConfiguration } from '../models/index.ts';

const TRAIN = 'Train one with POST /v1/classifiers/trainings, or as the operator with tramontane classifiers train.';

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
  classifier_training_not_found: missing('training'),
  embedding_model_not_found: {
    status: 400,
    when: 'A classifier is to be trained, and no model of this name embeds.',
    fix: 'Leave `model` out, or name a model of `GET /v1/models` that embeds.',
    message: (name: string) => `There is no embedding model '${name}'. ${adviseConfiguration('embeddings', name)}`,
  },
  training_file_too_large: {
    status: 400,
    when: 'The file of a training is too large.',
    fix: 'Send fewer or shorter examples.',
    message: (bytesMax: number) => `A training takes files of at most ${bytesMax / 1024 / 1024} MiB.`,
  },
  too_many_trainings: {
    status: 409,
    when: 'Too many trainings of the workspace wait or run.',
    fix: 'Wait until some have ended, or delete them.',
    message: (max: number) => `At most ${max} trainings of a workspace wait or run at once.`,
  },
});

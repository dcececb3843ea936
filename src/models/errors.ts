import { defineErrors, missing } from '../kit/http/index.ts';

const notFound = missing('model');

export const modelErrors = defineErrors({
  model_not_found: {
    ...notFound,
    /** `advice` names the line of configuration to write. */
    message: (id: string, advice: string) => `${notFound.message(id)} ${advice}`,
  },
  unknown_model: {
    status: 400,
    when: 'A request names a model that the workspace of the key does not have.',
    fix: 'Choose a model of `GET /v1/models`, or ask the operator to write the line of the message.',
    message: (name: string, advice: string) => `Invalid model: ${name}. Choose one of GET /v1/models. ${advice}`,
    type: 'invalid_model',
    wireCode: '1500',
  },
  base_model_unchangeable: {
    status: 403,
    when: 'A base model of the configuration was to be renamed, archived or deleted.',
    fix: 'Name a fine-tuned model. The operator changes base models in the configuration.',
    message: (id: string) => `The model ${id} is a base model; only fine-tuned models can be changed or deleted.`,
  },
});

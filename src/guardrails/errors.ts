import { defineErrors } from '../kit/http/index.ts';
import { adviseConfiguration } from '../models/index.ts';

const ADVICE = 'Choose one whose card has the capability moderation.';

export const guardrailErrors = defineErrors({
  moderation_model_not_found: {
    status: 400,
    when: 'The workspace of the key has no moderation model of this name.',
    fix: 'Choose a model of `GET /v1/models` that has the capability `moderation`.',
    message: (refusal: string, name: string) =>
      `${refusal}: ${name}. ${ADVICE} ${adviseConfiguration('moderation', name)}`,
    type: 'invalid_model',
    wireCode: '1500',
  },
  moderation_unsupported: {
    status: 400,
    when: 'The model cannot moderate: it is no moderation model, or a classifier without a label that names a category.',
    fix: 'Choose a model whose card has the capability `moderation`, or a classifier with such labels.',
    message: (id: string) => `The model '${id}' cannot moderate. ${ADVICE} ${adviseConfiguration('moderation')}`,
  },
  moderation_input_invalid: {
    status: 400,
    when: 'There is no text to moderate, one is empty, or there is too much text.',
    fix: 'Send at least one text, none of them empty, within the limits of the message.',
  },
  guardrail_invalid: {
    status: 400,
    fix: 'Give exactly one of the two.',
    message: 'Each guardrail holds exactly one of moderation_llm_v1 and moderation_llm_v2.',
  },
  guardrail_blocked: {
    status: 403,
    when: 'A guardrail with `action: block` found a violation in the input.',
    fix: 'Change the input.',
  },
  guardrail_check_failed: {
    status: 403,
    when: 'A guardrail with `block_on_error` could not check the input.',
    fix: 'Try again in a moment.',
    wireCode: '3201',
  },
});

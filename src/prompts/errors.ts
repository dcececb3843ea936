import { defineErrors } from '../kit/http/index.ts';
import { objectErrors } from '../registry/index.ts';

const object = objectErrors('prompt');
const invalidModel = { status: 400, type: 'invalid_model', wireCode: '1500' } as const;

export const promptErrors = defineErrors({
  prompt_not_found: object.not_found,
  prompt_version_not_found: object.version_not_found,
  prompt_changed: object.changed,
  prompt_name_taken: object.name_taken,
  prompt_owner_only: object.owner_only,
  prompt_read_only: object.read_only,
  prompt_read_forbidden: {
    status: 403,
    fix: 'Use a key whose user may read prompts.',
    message: 'This key may not read prompts.',
  },
  prompt_reference_invalid: {
    ...invalidModel,
    when: 'A model starts with `prompt:` and is not a well-formed reference.',
    fix: 'Write `prompt:<name>`, `prompt:<name>@<alias>` or `prompt:<name>#<version>`.',
    message: (model: string) =>
      `Invalid model: ${model}. Write prompt:<name>, prompt:<name>@<alias> or prompt:<name>#<version>.`,
  },
  prompt_model_missing: {
    ...invalidModel,
    when: 'A prompt is used as a model, and no model is set for it.',
    fix: 'Set one: `tramontane prompts set-model <name> <model>`.',
    message: (name: string) =>
      `The prompt '${name}' has no model. Set one with: tramontane prompts set-model ${name} <model>`,
  },
});

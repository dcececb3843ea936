import { defineErrors, missing } from '../kit/http/index.ts';

export const modelSettingsErrors = defineErrors({
  model_settings_not_found: missing('stored model'),
  operator_only: {
    status: 403,
    when: 'Models of the server were to be read or changed by somebody who is not an operator.',
    fix: 'Use an admin key or a session of an admin of the first organization, or a command on the machine.',
    message: 'Only an admin of the organization that operates this server may do that.',
  },
  model_name_taken: {
    status: 409,
    when: 'A stored model was to get an id that another model has.',
    fix: 'Choose another id. A model of the configuration file is changed in the file.',
    message: (id: string, owner: string) => `The id ${id} belongs to ${owner}. Choose another one.`,
  },
  model_settings_limit_reached: {
    status: 409,
    when: 'The server has as many stored models as it may have.',
    fix: 'Delete some that are not used.',
    message: (max: number) => `There are ${max} stored models already. Delete some that are not used.`,
  },
  model_settings_invalid: {
    status: 422,
    when: 'The settings of a model contradict each other, or name weights that cannot be served.',
    fix: 'Change what the message names.',
  },
  model_adapter_not_found: missing('uploaded adapter'),
  model_adapter_in_use: {
    status: 409,
    when: 'An uploaded adapter was to be deleted while a model uses it.',
    fix: 'Remove the model first; its adapter is deleted with it.',
    message: (models: string) => `The adapter is used by ${models}. Remove that model first.`,
  },
  model_adapter_invalid: {
    status: 422,
    when: 'An uploaded file is not a LoRA adapter as GGUF.',
    fix: 'Convert the adapter with convert_lora_to_gguf.py of llama.cpp, and upload its result.',
  },
  model_address_forbidden: {
    status: 422,
    when: 'The address of a model server is not a public one.',
    fix: 'Set `private_network`, or add the address to `outbound.allow`.',
  },
  model_secrets_unavailable: {
    status: 503,
    when: 'The key that encrypts the keys of model servers cannot be read or written.',
    fix: 'The operator checks `secrets.key` in the data dir, or `TRAMONTANE_SECRETS_KEY`.',
    message: 'Keys cannot be read or stored now: the key that encrypts them is not available.',
  },
});

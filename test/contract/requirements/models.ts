import { requirementsOf } from './requirement.ts';

export const modelRequirements = requirementsOf('models', {
  'Resources: Model cards': {
    'MODELS-CARD-ID': 'a card has the id by which requests name the model',
    'MODELS-CARD-CAPABILITIES': 'capabilities are booleans and hold at least the six listed names',
    'MODELS-CARD-OBJECT': 'the object of a card is the word model',
    'MODELS-CARD-CREATED': 'created is an integer timestamp',
    'MODELS-CARD-OWNER': 'owned_by names the owner',
    'MODELS-CARD-CONTEXT': 'max_context_length is the context length of that model',
    'MODELS-CARD-ALIASES': 'aliases is an array of strings',
    'MODELS-CARD-TYPE': 'the key type is base or fine-tuned',
    'MODELS-FT-CARD': 'a fine-tuned card also has job, root and archived',
    'MODELS-FT-ID': 'a fine-tuned id is ft:<base>: and three segments',
    'MODELS-DELETE-RESPONSE': 'a deletion answers {id, object: model, deleted: true}',
  },
  'States: Fine-tuned model': {
    'MODELS-DELETE-GONE': 'a deleted fine-tuned model is no longer listed, read or usable',
  },
  'Endpoints: Models': {
    'MODELS-LIST': 'GET /v1/models lists the models that the key may use',
    'MODELS-LIST-PROVIDER': 'the optional provider parameter narrows the list',
    'MODELS-LIST-MODEL': 'the optional model parameter narrows the list',
    'MODELS-GET': 'GET /v1/models/{model_id} answers one card, base or fine-tuned by its type',
    'MODELS-DELETE': 'DELETE /v1/models/{model_id} removes a fine-tuned model',
    'MODELS-DELETE-BASE': 'deleting a base model is refused and changes nothing',
    'MODELS-422': 'a request that fails validation is 422',
  },
  'Limits: max_context_length': {
    'MODELS-CONTEXT-LIMIT': 'a request beyond the context length of the card is refused',
  },
  'Versioning: 4': {
    'MODELS-ALIAS': 'an alias such as a latest tag is accepted wherever a model id is',
    'MODELS-RETIREMENT': 'the card of a deprecated model carries its retirement date',
  },
  'public facts: Models': {
    'MODELS-CARD-WORDS': 'a card has the name and the description that the operator gave, or null',
    'MODELS-CARD-TEMPERATURE': 'default_model_temperature is what is used where a request gives none',
    'MODELS-CARD-INTERNAL': 'no model is internal',
    'MODELS-REPLACEMENT': 'the card of a deprecated model names its successor',
    'MODELS-UPDATE': 'PATCH /v1/fine_tuning/models/{model_id} changes name and description and answers the model',
    'MODELS-ARCHIVE': 'a fine-tuned model is archived and brought back, and both answer {id, object, archived}',
  },
  'decisions: Error bodies, inference family': {
    'MODELS-403-BODY': 'a 403 body is {object: error, message, type: permission_error, param: null, code}',
  },
  'decisions: Numbers and shapes': {
    'MODELS-FT-ID-SEGMENTS': 'the segments of a fine-tuned id are workspace, yyyymmdd and eight hexadecimal digits',
    'MODELS-FT-JOB': 'job is a UUID made when the model is registered',
  },
});

import { requirementsOf } from './requirement.ts';

export const embeddingRequirements = requirementsOf('embeddings', {
  'Resources: Embeddings': {
    'EMBEDDINGS-MODEL-REQUIRED': 'a request without a model is refused',
    'EMBEDDINGS-INPUT-STRING': 'a single string is embedded as one item',
    'EMBEDDINGS-INPUT-LIST': 'a list of strings gives one item per input',
    'EMBEDDINGS-CLIENT-NAME': 'the inputs of a client library arrive on the wire as input',
    'EMBEDDINGS-RESPONSE': 'the answer has id, object list, model, usage and data',
    'EMBEDDINGS-ITEM': 'an item has object embedding and an array of numbers',
    'EMBEDDINGS-INDEX': 'the index of an item is the position of its input, from 0',
  },
  'Endpoints: Embeddings': {
    'EMBEDDINGS-CREATE': 'POST /v1/embeddings answers 200',
  },
  'public facts: Embeddings': {
    'EMBEDDINGS-DIMENSION': 'output_dimension shortens the vectors, and more than the model has is refused',
    'EMBEDDINGS-DTYPE': 'output_dtype is float, int8, uint8, binary or ubinary and any other is refused',
    'EMBEDDINGS-ENCODING': 'encoding_format base64 answers each vector as one text of little-endian floats',
    'EMBEDDINGS-METADATA': 'metadata is a free object that changes nothing of the answer',
    'EMBEDDINGS-EXTRA': 'an unknown property is refused',
  },
  'decisions: Embeddings': {
    'EMBEDDINGS-WINDOWS': 'a text longer than the window of the model is embedded in windows and averaged',
    'EMBEDDINGS-TEXT-LIMIT': 'a text over 8,192 tokens is 400',
    'EMBEDDINGS-REQUEST-LIMIT': 'a request over 16,384 tokens is 400',
    'EMBEDDINGS-COUNT-LIMIT': 'more than 512 texts are 400 with code 3210',
  },
  'decisions: Error bodies, inference family': {
    'EMBEDDINGS-UNKNOWN-MODEL': 'an unknown model is 400 with type invalid_model and code 1500',
  },
  'decisions: Numbers and shapes': {
    'EMBEDDINGS-USAGE': 'usage has prompt, completion and total tokens',
  },
  'decisions: Streams and resume': {
    'EMBEDDINGS-CANCEL': 'when the client leaves, the work is cancelled and what was used is billed',
  },
});

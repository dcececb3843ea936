import { defineErrors } from '../kit/http/index.ts';
import { adviseConfiguration } from '../models/index.ts';

const SPLIT = 'Split the texts into more requests.';

export const embeddingErrors = defineErrors({
  model_cannot_embed: {
    status: 400,
    when: 'The model has no embeddings.',
    fix: 'Choose an embedding model from `GET /v1/models`.',
    message: (model: string) =>
      `The model ${model} cannot embed. Choose an embedding model from /v1/models. ${adviseConfiguration('embeddings')}`,
  },
  nothing_to_embed: {
    status: 400,
    fix: 'Send at least one text, and none that is empty.',
    message: 'There is nothing to embed: send at least one text, and none that is empty.',
  },
  too_many_texts: {
    status: 400,
    when: '`input` holds more texts than one request may have.',
    fix: SPLIT,
    message: (max: number, count: number) =>
      `Too many inputs in request, split into more batches. At most ${max} texts are taken, got ${count}.`,
    wireCode: '3210',
  },
  text_too_long: {
    status: 400,
    when: 'One text has too many tokens.',
    fix: 'Split it into more texts.',
    message: (index: number, tokens: number | undefined, max: number) =>
      `Input id ${index} has ${tokens} tokens, exceeding max ${max} tokens. Split it into more texts.`,
    wireCode: '3210',
  },
  too_many_tokens: {
    status: 400,
    when: 'All texts together have too many tokens.',
    fix: SPLIT,
    message: (max: number) => `Too many tokens overall, split into more batches. At most ${max} tokens are taken.`,
    wireCode: '3210',
  },
  dimension_too_large: {
    status: 400,
    when: '`output_dimension` is more than the model has.',
    fix: 'Ask for fewer dimensions.',
    message: (asked: number, actual: number) =>
      `output_dimension ${asked} is more than the ${actual} dimensions of this model.`,
  },
});

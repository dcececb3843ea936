import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { startTestServer } from '../../test/support/server.ts';
import { completion, json } from '../../test/support/upstream.ts';
import { textEvents } from '../chat/chat-for-tests.ts';
import { embeddingWeightsForTests, testModelsDir } from '../engines/weights/weights-for-tests.ts';
import {
  chat,
  hello,
  holdTheClock,
  type LimitedServer,
  newKey,
  rateHeaders,
  serveLimited,
} from './limits-for-tests.ts';

holdTheClock();

const limits = { key: { requests_per_second: 10, tokens_per_minute: 60_000 } };
const limited = {
  'x-ratelimit-limit-req-minute': '600',
  'x-ratelimit-remaining-req-minute': '540',
  'x-ratelimit-limit-tokens-minute': '60000',
  'x-ratelimit-remaining-tokens-minute': expect.stringMatching(/^599\d\d$/),
};

describe('a response to a limited key shows what is left', () => {
  let server: LimitedServer;
  beforeAll(async () => {
    server = await serveLimited(sqliteForTests(), limits);
    server.upstream.answerWith(({ body }, response) =>
      body.stream ? textEvents(response, ['Hi', '.']) : json(response, 200, completion('Hi.')),
    );
  });

  it.each([
    ['a chat', '/v1/chat/completions', { ...hello, max_tokens: 30 }, '32'],
    ['a streamed chat', '/v1/chat/completions', { ...hello, max_tokens: 30, stream: true }, '32'],
    ['two answers', '/v1/chat/completions', { ...hello, max_tokens: 30, n: 2 }, '62'],
    ['fill-in-the-middle', '/v1/fim/completions', { model: 'small', prompt: 'def f():', suffix: 'return' }, '4'],
    ['it streamed', '/v1/fim/completions', { model: 'small', prompt: 'def f():', stream: true }, '2'],
  ])('on %s', async (_name, path, body, cost) => {
    const answer = await call(server, path, { body, key: await newKey(server) });
    expect(answer.status).toBe(200);
    expect(rateHeaders(answer)).toEqual({ ...limited, 'x-ratelimit-tokens-query-cost': cost });
  });

  it('and of several limits the tightest', async () => {
    const tight = await serveLimited(sqliteForTests(), { ...limits, workspace: { requests_per_second: 2 } });
    expect(rateHeaders(await chat(tight))).toMatchObject({
      'x-ratelimit-limit-req-minute': '120',
      'x-ratelimit-remaining-req-minute': '60',
      'x-ratelimit-limit-tokens-minute': '60000',
    });
  });

  it('and a key without limits gets none of these headers', async () => {
    const free = await serveLimited(sqliteForTests(), {});
    const answer = await chat(free);
    expect([answer.status, rateHeaders(answer)]).toEqual([200, {}]);
  });
});

const weights = await embeddingWeightsForTests();

describe.runIf(weights)('embeddings of a limited key', () => {
  inFull.it('show what is left, and are refused with 429 when nothing is', async () => {
    const server = await startTestServer(sqliteForTests(), {
      environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
      file: { limits, models: [{ id: 'minilm', engine: 'onnx', weights: 'all-minilm-l6-v2', threads: 1 }] },
    });
    const embed = (input: string | string[]) => call(server, '/v1/embeddings', { body: { model: 'minilm', input } });
    const answer = await embed('The cat sat on the mat.');
    expect(answer.status).toBe(200);
    expect(rateHeaders(answer)).toEqual({ ...limited, 'x-ratelimit-tokens-query-cost': '6' });
    const more = await Promise.all(Array.from({ length: 12 }, () => embed('one more')));
    expect(more.filter(({ status }) => status === 200)).toHaveLength(9);
    const refused = more.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3);
    for (const { body } of refused) expect(body).toMatchObject({ object: 'error', type: 'rate_limited', code: '1300' });
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';

let upstream: ScriptedUpstream;
let server: TestServer;
beforeAll(async () => {
  upstream = await startUpstream();
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        { id: 'vectors', engine: 'upstream', url: upstream.url, upstream_model: 'theirs', capabilities: {} },
        { id: 'chatty', engine: 'upstream', url: upstream.url },
      ],
    },
  });
});

type Body = { data: { embedding: number[]; index: number }[]; usage: unknown; model: string };
const embed = async (fields: object) => {
  const answer = await call(server, '/v1/embeddings', { body: { model: 'vectors', input: ['a', 'bb'], ...fields } });
  return { ...answer, body: answer.body as Body };
};
const answerWith = (body: unknown, status = 200) =>
  upstream.answerWith((_call, response) => json(response, status, body));
const item = (index: number, ...embedding: unknown[]) => ({ object: 'embedding', index, embedding });

describe('embeddings of an upstream server', () => {
  it('keep the order of the texts, and its count of tokens', async () => {
    answerWith({ data: [item(1, 0, 1), item(0, 1, 0)], usage: { prompt_tokens: 7, total_tokens: 7 } });
    const { status, body } = await embed({});
    expect(status).toBe(200);
    expect(body).toMatchObject({
      model: 'vectors',
      usage: { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 },
    });
    expect(body.data).toEqual([item(0, 1, 0), item(1, 0, 1)]);
    expect(upstream.calls.at(-1)).toMatchObject({
      path: '/v1/embeddings',
      body: { model: 'theirs', input: ['a', 'bb'] },
    });
    expect(Object.keys(upstream.calls.at(-1)?.body ?? {})).toEqual(['model', 'input']);
  });

  it('may come as base64, and without a count', async () => {
    const base64 = (...numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
    answerWith({ data: [{ embedding: base64(0.5, -1) }, { embedding: base64(1, 2) }] });
    const { body } = await embed({ input: ['12345', '1234'] });
    expect(body.data.map(({ embedding }) => embedding)).toEqual([
      [0.5, -1],
      [1, 2],
    ]);
    expect(body.usage).toMatchObject({ prompt_tokens: 3 });
  });

  it.each([
    ['fewer vectors than texts', { data: [item(0, 1)] }],
    ['two vectors for one text', { data: [item(0, 1), item(0, 1)] }],
    ['a vector for no text', { data: [item(0, 1), item(2, 1)] }],
    ['vectors of different length', { data: [item(0, 1), item(1, 1, 2)] }],
    ['what are no numbers', { data: [item(0, 'x'), item(1, 'y')] }],
    ['an empty vector', { data: [item(0), item(1)] }],
    ['half a number', { data: [{ embedding: 'AAAA' }, { embedding: 'AAAA' }] }],
    ['nothing at all', {}],
    ['a list', []],
  ])('are 502 when it sends %s', async (_name, answer) => {
    answerWith(answer);
    expect(await embed({})).toMatchObject({ status: 502, body: { object: 'error', type: 'server_error' } });
  });

  it('are refused in our words when it refuses', async () => {
    answerWith({ error: { message: 'secret: maximum context length is 512' } }, 400);
    const { status, text } = await embed({});
    expect(status).toBe(400);
    expect(text).not.toContain('secret');
  });

  it('are counted in our limits by its count', async () => {
    answerWith({ data: [item(0, 1), item(1, 1)], usage: { prompt_tokens: 16_385 } });
    expect(await embed({})).toMatchObject({ status: 400, body: { code: '3210' } });
  });

  it('do not depend on metadata [EMBEDDINGS-METADATA]', async () => {
    answerWith({ data: [item(0, 1), item(1, 1)] });
    expect((await embed({ metadata: { any: [{ thing: null }] } })).status).toBe(200);
    expect(upstream.calls.at(-1)?.body).not.toHaveProperty('metadata');
    expect((await embed({ metadata: null })).status).toBe(200);
    expect((await embed({ metadata: 'text' })).status).toBe(422);
  });

  it.each(['inputs', 'dimensions', 'user'])(
    'are refused with the unknown property %s [EMBEDDINGS-EXTRA]',
    async (name) => {
      const before = upstream.calls.length;
      expect(await embed({ [name]: 1 })).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'extra_forbidden', loc: ['body', name] }] },
      });
      expect(upstream.calls).toHaveLength(before);
    },
  );

  it('are not asked of a model for chat, nor chat of a model for embeddings', async () => {
    expect((await embed({ model: 'chatty' })).status).toBe(400);
    const body = { model: 'vectors', messages: [{ role: 'user', content: 'hi' }] };
    expect((await call(server, '/v1/chat/completions', { body })).status).toBe(400);
  });
});

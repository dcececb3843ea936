import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { json, type ScriptedUpstream, startUpstream, textAnswer } from '../chat/chat-for-tests.ts';

const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';

let upstream: ScriptedUpstream;
let server: TestServer;
beforeAll(async () => {
  upstream = await startUpstream();
  const model = { engine: 'upstream', url: upstream.url };
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        {
          ...model,
          id: 'small',
          aliases: ['small-latest'],
          max_context_length: 8192,
          price: { prompt: 1, completion: 1 },
        },
        { ...model, id: 'seer', kind: 'chat', capabilities: { vision: true } },
        { ...model, id: 'coder', kind: 'code' },
        { ...model, id: 'vectors', kind: 'embeddings' },
        { ...model, id: 'judge', kind: 'moderation' },
      ],
    },
  });
  upstream.answerWith(({ path, body }, response) => {
    if (path.endsWith('/embeddings'))
      return json(response, 200, {
        data: [{ index: 0, embedding: [1, 2] }],
        usage: { prompt_tokens: 1, total_tokens: 1 },
      });
    if (path.endsWith('/moderations'))
      return json(response, 200, {
        results: [{ categories: { violence: false }, category_scores: { violence: 0.1 } }],
      });
    return json(response, 200, textAnswer(`as ${body.model}`));
  });
});

const chat = (body: Record<string, unknown>, path = '/v1/chat/completions') =>
  call(server, path, { body: { messages: [{ role: 'user', content: 'hi' }], ...body } });

describe('a public name', () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    ['mistral-vibe-cli-latest', '/v1/chat/completions', {}, 'small'],
    ['mistral-large-2512', '/v1/chat/completions', {}, 'small'],
    ['codestral-2508', '/v1/chat/completions', {}, 'coder'],
    [
      'mistral-small-2506',
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: PICTURE }] }] },
      'seer',
    ],
    ['codestral-latest', '/v1/fim/completions', { messages: undefined, prompt: 'def f():' }, 'coder'],
    ['mistral-embed-2312', '/v1/embeddings', { messages: undefined, input: 'a' }, 'vectors'],
    ['mistral-moderation-2411', '/v1/moderations', { messages: undefined, input: 'a' }, 'judge'],
  ])('%s on %s is served by the first model that fits, which the answer names', async (model, path, body, served) => {
    expect(await chat({ model, ...body }, path)).toMatchObject({ status: 200, body: { model: served } });
  });

  it('works for agents, conversations, guardrails and lines of a batch', async () => {
    const agent = await call(server, '/v1/agents', { body: { name: 'a', model: 'mistral-medium-2508' } });
    const { id } = agent.body as { id: string };
    expect(await chat({ agent_id: id }, '/v1/agents/completions')).toMatchObject({
      status: 200,
      body: { model: 'small' },
    });
    const started = await call(server, '/v1/conversations', { body: { model: 'magistral-small-2509', inputs: 'hi' } });
    expect(started.status).toBe(200);
    expect(started.headers.get('tramontane-model')).toBe('small');
    const guarded = { moderation_llm_v2: { model_name: 'mistral-moderation-2603', action: 'none' } };
    expect(await chat({ model: 'small', guardrails: [guarded] })).not.toMatchObject({ body: { code: '1500' } });
    const batch = await call(server, '/v1/batch/jobs', {
      body: { endpoint: '/v1/chat/completions', model: 'ministral-8b-2410', requests: [{ body: { messages: [] } }] },
    });
    expect(batch.status).toBe(200);
  });

  it('with a typo is refused with the code of an unknown model and the line that would add it', async () => {
    for (const model of ['mistral-smal-latest', 'mistral-', 'gpt-4o', 'x'.repeat(200), 'mistral-ѕmall'])
      expect(await chat({ model })).toMatchObject({
        status: 400,
        body: {
          type: 'invalid_model',
          code: '1500',
          message: expect.stringContaining('models: in tramontane.yaml: - {'),
        },
      });
  });

  it('with nothing behind it is refused with the line of configuration for its kind', async () => {
    const read = await call(server, '/v1/ocr', {
      body: { model: 'mistral-ocr-latest', document: { document_url: 'data:application/pdf;base64,AA==' } },
    });
    expect(read).toMatchObject({ status: 400, body: { message: expect.stringContaining('engine: tesseract }') } });
    const spoken = await call(server, '/v1/audio/speech', { body: { model: 'voxtral-mini-tts-latest', input: 'Hi' } });
    expect(spoken).toMatchObject({ status: 400, body: { message: expect.stringContaining('engine: kokoro }') } });
  });
});

describe('max_tokens beyond the context', () => {
  const long = { messages: [{ role: 'user', content: 'word '.repeat(2000) }] };

  it('of a public name is lowered to what the model can write after the prompt, and a header says so', async () => {
    const answer = await chat({ model: 'mistral-vibe-cli-latest', max_tokens: 250_111 });
    expect(answer.status).toBe(200);
    const told = Number(answer.headers.get('tramontane-max-tokens'));
    expect(told).toBeGreaterThan(7900);
    expect(told).toBeLessThan(8192);
    expect(upstream.calls.at(-1)?.body.max_tokens).toBe(told);
    const after = await chat({ ...long, model: 'mistral-small-latest', max_tokens: 8000 });
    expect(Number(after.headers.get('tramontane-max-tokens'))).toBeLessThan(8192 - 2500);
  });

  it('that fits is passed on as it is, without a header', async () => {
    const answer = await chat({ model: 'mistral-small-latest', max_tokens: 100 });
    expect(answer.headers.has('tramontane-max-tokens')).toBe(false);
    expect(upstream.calls.at(-1)?.body.max_tokens).toBe(100);
  });

  it('is lowered for streams and for fill in the middle too', async () => {
    const stream = await chat({ model: 'devstral-latest', max_tokens: 250_111, stream: true });
    expect(stream.headers.has('tramontane-max-tokens')).toBe(true);
    const middle = await chat(
      { messages: undefined, model: 'codestral-latest', prompt: 'a', max_tokens: 250_111 },
      '/v1/fim/completions',
    );
    expect(middle.status).toBe(200);
    expect(middle.headers.has('tramontane-max-tokens')).toBe(true);
  });

  it('of an id or an alias of the configuration is still refused', async () => {
    for (const model of ['small', 'small-latest'])
      expect(await chat({ model, max_tokens: 250_111 })).toMatchObject({
        status: 400,
        body: { code: 'max_tokens_too_large' },
      });
  });
});

it('a public name is billed as the model that served', async () => {
  await call(server, '/v1/chat/completions', {
    body: { model: 'open-mixtral-8x7b', messages: [{ role: 'user', content: 'hi' }] },
    headers: { 'x-request-id': 'billed-once' },
  });
  const row = await vi.waitFor(async () => {
    const { db } = server.platform.database;
    const found = await db.selectFrom('usage_records').selectAll().where('request_id', '=', 'billed-once').execute();
    expect(found).toHaveLength(1);
    return found[0];
  }, 20_000);
  expect(row?.model).toBe('small');
});

describe('settings', () => {
  it('list_aliases: false shows the models only, and the names still work', async () => {
    const hidden = await startTestServer(sqliteForTests(), {
      file: {
        list_aliases: false,
        models: [{ id: 'small', aliases: ['small-latest'], engine: 'upstream', url: upstream.url }],
      },
    });
    const { data } = (await call(hidden, '/v1/models')).body as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['small']);
    for (const id of ['small-latest', 'mistral-small-2506'])
      expect((await call(hidden, `/v1/models/${id}`)).body).toMatchObject({ id, alias_of: 'small' });
  });

  it('sample_aliases: false refuses public names, a map gives them to certain models', async () => {
    const models = ['a', 'b'].map((id) => ({ id, engine: 'upstream' as const, url: upstream.url }));
    const off = await startTestServer(sqliteForTests(), { file: { sample_aliases: false, models } });
    const body = { model: 'mistral-large-2512', messages: [{ role: 'user', content: 'hi' }] };
    expect(await call(off, '/v1/chat/completions', { body })).toMatchObject({ status: 400, body: { code: '1500' } });
    expect((await call(off, '/v1/models/mistral-large-2512')).status).toBe(404);
    const mapped = await startTestServer(sqliteForTests(), {
      file: { sample_aliases: { 'mistral-large': 'b', 'gpt-4o': 'b', devstral: false }, models },
    });
    const served = async (model: string) =>
      ((await call(mapped, '/v1/chat/completions', { body: { ...body, model } })).body as { model?: string }).model;
    expect(await Promise.all(['mistral-large-2512', 'gpt-4o', 'mistral-small', 'devstral-latest'].map(served))).toEqual(
      ['b', 'b', 'a', undefined],
    );
    const { data } = (await call(mapped, '/v1/models')).body as { data: { id: string; alias_of?: string }[] };
    expect(data).toContainEqual(expect.objectContaining({ id: 'gpt-4o', alias_of: 'b' }));
    expect(data.map(({ id }) => id)).not.toContain('devstral-latest');
  });
});

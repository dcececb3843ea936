import OpenAI, { toFile } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { addStranger } from '../../test/support/people.ts';
import { type Conversing, startConversing } from '../conversations/conversations-for-tests.ts';
import { embedLengths } from './embed-lengths-for-tests.ts';
import { OpenAiCompletionChunk } from './schema/openai.ts';

type Json = Record<string, unknown>;

let here: Conversing;
let client: OpenAI;
beforeAll(async () => {
  const embedder = await embedLengths();
  here = await startConversing(sqliteForTests(), {}, [
    { id: 'vectors', engine: 'upstream', url: embedder.url, upstream_model: 'v', kind: 'embeddings' },
    { id: 'coder', engine: 'upstream', url: embedder.url, upstream_model: 'c', capabilities: { completion_fim: true } },
  ]);
  client = new OpenAI({ baseURL: `${here.server.url}/openai/v1`, apiKey: here.server.key, maxRetries: 0 });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const messages = [{ role: 'user' as const, content: 'hello' }];
const sent = () => here.upstream.calls.at(-1)?.body as { messages: Json[] } & Json;
const post = (path: string, body: Json, key?: string) => call(here.server, `/openai/v1${path}`, { body, key });
const chat = (fields: Json) => post('/chat/completions', { model: 'small', messages, ...fields });

describe('chat completions', () => {
  it('answer in the shapes of the official client', async () => {
    const { data, response } = await client.chat.completions
      .create({
        model: 'small',
        messages: [
          { role: 'developer', content: 'Short.' },
          { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        ],
        max_completion_tokens: 30,
        temperature: 2,
        seed: -1,
        user: 'me',
        store: false,
        logit_bias: { '42': -100 },
      })
      .withResponse();
    expect(data).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion',
      choices: [
        { index: 0, finish_reason: 'stop', logprobs: null, message: { content: 'Hello there', refusal: null } },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    expect(response.headers.get('tramontane-ignored')).toBe('user, store');
    expect(sent()).toMatchObject({
      messages: [{ role: 'system', content: 'Short.' }, { role: 'user' }],
      max_tokens: 30,
      temperature: 2,
      seed: 2 ** 32 - 1,
      logit_bias: { '42': -100 },
    });
  });

  it('stream, with the usage in a last chunk of its own if it is wanted', async () => {
    const stream = await client.chat.completions.create({
      model: 'small',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await collect(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello there');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 10 } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    const { text } = await chat({ stream: true });
    expect(text).not.toContain('"usage"');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect((await chat({ stream: true, stream_options: { include_obfuscation: false } })).text).not.toContain(
      'obfuscation',
    );
  });

  it('call tools, whose long ids come back as they were', async () => {
    here.says({ calls: [{ name: 'weather', arguments: { city: 'Nice' }, id: 'abcdefghi' }] });
    const tool = { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } };
    const tools = [{ type: 'function' as const, function: tool }];
    const asked = await client.chat.completions.create({ model: 'small', messages, tools });
    const { message, finish_reason } = asked.choices[0] ?? {};
    expect([finish_reason, message?.content]).toEqual(['tool_calls', null]);
    expect(message?.tool_calls).toEqual([
      { id: 'call_abcdefghi', type: 'function', function: { name: 'weather', arguments: '{"city":"Nice"}' } },
    ]);
    const id = 'call_Xq0vBz2kq7m1AAAAAAAAAAAAAAAAAAAAAAAA';
    const called = { id, type: 'function' as const, function: { name: 'weather', arguments: '{}' } };
    await client.chat.completions.create({
      model: 'small',
      tools,
      messages: [
        ...messages,
        { role: 'assistant', tool_calls: [called] },
        { role: 'tool', tool_call_id: id, content: [{ type: 'text', text: 'Sun' }] },
        { role: 'user', content: 'And now?' },
      ],
    });
    const [, assistant, result] = sent().messages as { tool_calls: { id: string }[]; tool_call_id: string }[];
    expect(result?.tool_call_id).toBe(assistant?.tool_calls[0]?.id);
    expect(result?.tool_call_id).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  it('parse into a schema, and stream tool calls through the helper of the client', async () => {
    here.says({ words: ['{"name":"Ada"}'] });
    const response_format = zodResponseFormat(z.object({ name: z.string() }), 'person');
    const parsed = await client.chat.completions.parse({ model: 'small', messages, response_format });
    expect(parsed.choices[0]?.message.parsed).toEqual({ name: 'Ada' });
    here.says({ calls: [{ name: 'f', arguments: { a: 1 } }] });
    const tools = [
      { type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    ];
    const final = await client.chat.completions.stream({ model: 'small', messages, tools }).finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'f', arguments: '{"a":1}' } });
    // What the helpers added comes back with the messages, and goes no further.
    const helped = { ...final.choices[0]?.message.tool_calls?.[0] } as { id: string; function: object };
    const assistant = { role: 'assistant', content: null, parsed: null, tool_calls: [{ ...helped, type: 'function' }] };
    Object.assign(helped.function, { parsed_arguments: { a: 1 } });
    const history = [...messages, parsed.choices[0]?.message, assistant];
    const answer = await chat({ messages: [...history, { role: 'tool', tool_call_id: helped.id, content: '2' }] });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(sent())).not.toContain('parsed');
  });

  it('show thoughts as reasoning_content', async () => {
    here.says({ thinking: 'Hm.', words: ['Yes'] });
    expect((await chat({ stream: true })).text).toContain('"delta":{"reasoning_content":"Hm."}');
  });

  it('run as an agent where its id stands for the model', async () => {
    const agent = { model: 'small', name: 'A', instructions: 'Be an agent.' };
    const { body } = await call(here.server, '/v1/agents', { body: agent });
    const { id: model } = body as { id: string };
    const { data, response } = await client.chat.completions
      .create({ model, messages, temperature: 1.9 })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('Hello there');
    expect(response.headers.get('tramontane-agent-version')).toBe(`${model}#0`);
    expect(sent()).toMatchObject({ temperature: 1.9, messages: [{ role: 'system', content: 'Be an agent.' }, {}] });
  });

  it.each<[string, Json, string | null, string]>([
    ['an unknown field', { surprise: 1 }, 'surprise', 'unknown_parameter'],
    ['functions of the old form', { functions: [] }, 'functions', 'unknown_parameter'],
    ['sound', { modalities: ['audio'] }, 'modalities[0]', 'invalid_value'],
    ['a temperature of three', { temperature: 3 }, 'temperature', 'invalid_value'],
    ['a message without a role', { messages: [{ content: 'x' }] }, 'messages[0]', 'invalid_value'],
    [
      'a call without its result',
      {
        messages: [
          ...messages,
          { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] },
        ],
      },
      null,
      'message_order_invalid',
    ],
  ])('refuse %s in the words of the dialect', async (_, fields, param, code) => {
    const { status, body } = await chat(fields);
    expect([status, body]).toEqual([
      400,
      { error: { message: expect.any(String), type: 'invalid_request_error', param, code } },
    ]);
  });

  it('name an unknown model, a wrong key and a missing path as the official API does', async () => {
    await expect(client.chat.completions.create({ model: 'nothing', messages })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
    const unknown = await post('/chat/completions', { model: 'small', messages }, 'none');
    expect([unknown.status, unknown.body]).toMatchObject([401, { error: { code: 'invalid_api_key' } }]);
    expect((await post('/nowhere', {})).body).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('end a stream that fails with an error event', async () => {
    here.says({ status: 500 });
    await expect(client.chat.completions.create({ model: 'small', messages, stream: true })).rejects.toMatchObject({
      type: 'server_error',
    });
  });
});

describe('the other endpoints', () => {
  it('list models and show one', async () => {
    const ids = (await collect(client.models.list())).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['small', 'vectors']));
    expect(await client.models.retrieve('small')).toMatchObject({ id: 'small', object: 'model' });
    await expect(client.models.retrieve('nothing')).rejects.toMatchObject({ status: 404 });
  });

  it('complete a text: by filling in where the model can, else as a chat', async () => {
    const chatted = await client.completions.create({ model: 'small', prompt: ['a', 'b'], max_tokens: 5 });
    expect(chatted).toMatchObject({
      object: 'text_completion',
      choices: [
        { text: 'Hello there', index: 0 },
        { text: 'Hello there', index: 1 },
      ],
      usage: { total_tokens: 20 },
    });
    const filled = await client.completions.create({ model: 'coder', prompt: 'def f():', suffix: 'return 1' });
    expect(filled.choices[0]?.text).toBe('filled def f():|return 1');
    const chunks = await collect(await client.completions.create({ model: 'small', prompt: 'a', stream: true }));
    expect(chunks.map((chunk) => chunk.choices[0]?.text).join('')).toBe('Hello there');
    expect(chunks.map((data) => OpenAiCompletionChunk.parse({ data }).data)).toEqual(chunks);
    for (const refused of [{ echo: true }, { best_of: 2 }, { logprobs: 1 }, { suffix: 'x' }])
      expect((await post('/completions', { model: 'small', prompt: 'a', ...refused })).status).toBe(400);
  });

  it('embed texts, base64 by default of the client, shortened, and from tokens', async () => {
    const { data } = await client.embeddings.create({ model: 'vectors', input: ['ab', 'abc'], dimensions: 2 });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([2, 2]);
    // "hello world" and "hi" in cl100k_base.
    const tokens = await client.embeddings.create({
      model: 'vectors',
      input: [[15339, 1917], [6151]],
      encoding_format: 'float',
    });
    expect(tokens.data.map(({ embedding }) => embedding[0])).toEqual(['hello world'.length, 'hi'.length]);
    const { status, body } = await post('/embeddings', { model: 'vectors', input: [999_999_999] });
    expect([status, body]).toMatchObject([400, { error: { code: 'token_unknown' } }]);
  });

  it('keep files and run batches of them through the same endpoints', async () => {
    const lines = [
      { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'small', messages, user: 'x' } },
      { custom_id: 'b', method: 'POST', url: '/v1/chat/completions', body: { model: 'small', messages, surprise: 1 } },
    ];
    const content = lines.map((line) => JSON.stringify(line)).join('\n');
    const file = await client.files.create({ file: await toFile(Buffer.from(content), 'in.jsonl'), purpose: 'batch' });
    expect(file).toMatchObject({
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      purpose: 'batch',
      status: 'processed',
    });
    expect((await collect(client.files.list())).map(({ id }) => id)).toContain(file.id);
    expect(await (await client.files.content(file.id)).text()).toBe(content);
    const created = await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect(created).toMatchObject({ id: expect.stringMatching(/^batch_/), endpoint: '/v1/chat/completions' });
    await expect
      .poll(async () => (await client.batches.retrieve(created.id)).status, { timeout: 20_000 })
      .toBe('completed');
    const batch = await client.batches.retrieve(created.id);
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
    const output = JSON.parse(await (await client.files.content(batch.output_file_id ?? '')).text());
    expect(output).toMatchObject({
      custom_id: 'a',
      response: { status_code: 200, body: { object: 'chat.completion' } },
    });
    const errors = JSON.parse(await (await client.files.content(batch.error_file_id ?? '')).text());
    expect(errors).toMatchObject({
      custom_id: 'b',
      response: { status_code: 400, body: { error: { param: 'surprise' } } },
    });
    expect((await collect(client.batches.list({ limit: 1 }))).map(({ id }) => id)).toContain(created.id);
    expect((await client.batches.cancel(created.id)).status).toBe('completed');

    const stranger = await addStranger(here.server);
    for (const path of [`/files/${file.id}`, `/files/${file.id}/content`, `/batches/${created.id}`]) {
      const { status, text } = await call(here.server, `/openai/v1${path}`, { key: stranger });
      const missing = await call(here.server, `/openai/v1${path.replace(/[0-9a-f]{6}/, 'ffffff')}`, { key: stranger });
      expect([status, text]).toEqual([
        404,
        missing.text.replaceAll(/(file-|batch_)ffffff/g, (_, kind) => `${kind}${path.split(kind)[1]?.slice(0, 6)}`),
      ]);
    }
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.files.retrieve('file-abc')).rejects.toMatchObject({ status: 404 });
  });

  it('refuse a wrong key and unknown properties everywhere', async () => {
    for (const path of [
      '/completions',
      '/embeddings',
      '/moderations',
      '/audio/speech',
      '/batches',
      '/chat/completions',
    ]) {
      expect((await post(path, {}, 'none')).status).toBe(401);
      expect((await post(path, { surprise: 1 })).status).toBe(400);
    }
    for (const path of ['/models', '/files', '/batches'])
      expect((await call(here.server, `/openai/v1${path}?surprise=1`)).status).toBe(400);
  });
});

import Anthropic from '@anthropic-ai/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { type Conversing, startConversing } from '../conversations/conversations-for-tests.ts';

type Json = Record<string, unknown>;

let here: Conversing;
let client: Anthropic;
beforeAll(async () => {
  here = await startConversing(sqliteForTests());
  client = new Anthropic({ baseURL: `${here.server.url}/anthropic`, apiKey: here.server.key, maxRetries: 0 });
});

const messages = [{ role: 'user' as const, content: 'hello' }];
const common = { model: 'small', max_tokens: 100, messages };
const sent = () => here.upstream.calls.at(-1)?.body as { messages: Json[] } & Json;
const post = (fields: Json, key?: string) =>
  call(here.server, '/anthropic/v1/messages', { body: { ...common, ...fields }, key });
const tool = {
  name: 'weather',
  description: 'W',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
};

describe('messages', () => {
  it('answer in the shapes of the official client, with its key in x-api-key', async () => {
    const { data, response } = await client.messages
      .create({
        ...common,
        system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
        stop_sequences: ['END'],
        metadata: { user_id: 'me' },
      })
      .withResponse();
    expect(data).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: 'small',
      content: [{ type: 'text', text: 'Hello there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    expect(response.headers.get('tramontane-ignored')).toBe('metadata');
    expect(sent()).toMatchObject({
      max_tokens: 100,
      stop: ['END'],
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hello' },
      ],
    });
  });

  it('stream as the helper of the client reads them', async () => {
    here.says({ words: ['Hel', 'lo'] });
    const stream = client.messages.stream(common);
    const types: string[] = [];
    stream.on('streamEvent', ({ type }) => void types.push(type));
    const final = await stream.finalMessage();
    expect(final).toMatchObject({ content: [{ text: 'Hello' }], usage: { input_tokens: 7, output_tokens: 3 } });
    expect(types[0]).toBe('message_start');
    expect(types.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
  });

  it('take back blocks with what the helpers of the client read from them', async () => {
    const parsed = { type: 'text', text: '{"a":1}', parsed_output: { a: 1 } };
    const history = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: [parsed] },
    ];
    const body = { ...common, messages: [...history, { role: 'user', content: 'Two' }] };
    const { status } = await call(here.server, '/anthropic/v1/messages', { body });
    expect(status).toBe(200);
    expect(JSON.stringify(here.upstream.calls.at(-1)?.body)).not.toContain('parsed_output');
  });

  it('use tools, and take their results with pictures and further words', async () => {
    here.says({ calls: [{ name: 'weather', arguments: { city: 'Nice' }, id: 'abcdefghi' }] });
    const asked = await client.messages.create({ ...common, tools: [tool], tool_choice: { type: 'any' } });
    expect(asked).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 'toolu_abcdefghi', name: 'weather', input: { city: 'Nice' } }],
    });
    expect(sent()).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'weather' } }] });
    await client.messages.create({
      ...common,
      tools: [tool],
      messages: [
        ...messages,
        { role: 'assistant', content: asked.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_abcdefghi', content: [{ type: 'text', text: 'Sun' }] },
            { type: 'text', text: 'Thanks' },
          ],
        },
      ],
    });
    expect(sent().messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'abcdefghi' }] },
      { role: 'tool', content: 'Sun', tool_call_id: 'abcdefghi' },
      { role: 'user', content: [{ text: 'Thanks' }] },
    ]);
  });

  it('stream tools and, where it is wanted, thoughts', async () => {
    here.says({ thinking: 'Hm.', calls: [{ name: 'weather', arguments: { city: 'Nice' } }] });
    const final = await client.messages
      .stream({ ...common, tools: [tool], thinking: { type: 'enabled', budget_tokens: 1024 } })
      .finalMessage();
    expect(final.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool_use', input: { city: 'Nice' } },
    ]);
    expect(sent()).toMatchObject({ reasoning_effort: 'low' });
    here.says({ thinking: 'Hm.', words: ['Yes'] });
    expect((await post({ stream: true })).text).not.toContain('thinking');
  });

  it('can be instructions between the others, until the user speaks again, and change the tools', async () => {
    const later = { ...tool, name: 'later', defer_loading: true };
    const added = { type: 'tool_addition', tool: { type: 'tool_definition', definition: { ...tool, name: 'added' } } };
    const removed = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'weather' } };
    const found = [{ type: 'tool_reference', tool_name: 'later' }];
    const body = {
      tools: [tool, later, { ...later, name: 'never' }],
      messages: [
        { role: 'system', content: 'Only now.', clear_at: 'next_user_message' },
        ...messages,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_abcdefghi', name: 'search', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_abcdefghi', content: found }] },
        { role: 'system', content: [{ type: 'text', text: 'Briefly.' }, added, removed] },
      ],
    };
    expect((await post(body)).status).toBe(200);
    const { tools } = sent() as unknown as { tools: { function: { name: string } }[] };
    expect(tools.map((one) => one.function.name)).toEqual(['later', 'added']);
    expect(sent().messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'system']);
  });

  it('keep thoughts back where the client wants them omitted', async () => {
    here.says({ thinking: 'Hm.', words: ['Yes'] });
    const { text } = await post({ thinking: { type: 'adaptive', display: 'omitted' } });
    expect(text).not.toContain('Hm.');
  });

  it('refuse a thread in words by which the tool runner goes on without one', async () => {
    here.says({ calls: [{ name: 'weather', arguments: { city: 'Nice' }, id: 'abcdefghi' }] }, { words: ['Sun'] });
    const runnable = { ...tool, type: 'custom' as const, run: () => 'Sun', parse: (given: unknown) => given };
    const final = await client.beta.messages.toolRunner({ ...common, tools: [runnable] });
    expect(final.content).toMatchObject([{ type: 'text', text: 'Sun' }]);
    const { body } = await post({ thread: { type: 'create' } });
    expect(body).toMatchObject({ error: { details: { error_code: 'thread_unsupported_request' } } });
  });

  it('continue an answer that the client began', async () => {
    here.says({ words: [' world'] });
    const { content } = await client.messages.create({
      ...common,
      messages: [...messages, { role: 'assistant', content: 'Hello' }],
    });
    expect(content).toMatchObject([{ text: ' world' }]);
    expect(sent().messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello', prefix: true });
  });

  it('count their tokens', async () => {
    const { input_tokens } = await client.messages.countTokens({
      model: 'small',
      messages: [{ role: 'user', content: 'x'.repeat(400) }],
    });
    expect(input_tokens).toBe(100);
  });

  it.each<[string, Json]>([
    ['an unknown field', { surprise: 1 }],
    ['no max_tokens', { max_tokens: undefined }],
    ['a tool that the server would run', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['an unknown block', { messages: [{ role: 'user', content: [{ type: 'video' }] }] }],
    [
      'a call without its result',
      {
        messages: [...messages, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }],
      },
    ],
    ['no message', { messages: [] }],
  ])('refuse %s in the words of the dialect', async (_, fields) => {
    const { status, body } = await post(fields);
    expect([status, body]).toEqual([
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: expect.any(String) } },
    ]);
  });

  it('name an unknown model and a wrong key as the official API does', async () => {
    expect((await post({ model: 'nothing' })).body).toMatchObject({ error: { type: 'not_found_error' } });
    const { status, body } = await post({}, 'none');
    expect([status, body]).toMatchObject([401, { type: 'error', error: { type: 'authentication_error' } }]);
    expect((await call(here.server, '/anthropic/v1/messages/count_tokens', { key: 'none', body: {} })).status).toBe(
      401,
    );
    here.says({ status: 500 });
    await expect(client.messages.create(common)).rejects.toMatchObject({
      error: { error: { type: 'overloaded_error' } },
    });
  });
});

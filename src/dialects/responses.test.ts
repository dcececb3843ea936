import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { type Conversing, startConversing } from '../conversations/conversations-for-tests.ts';

type Json = Record<string, unknown>;
type Event = { type: string; sequence_number: number } & Json;

let here: Conversing;
beforeAll(async () => {
  here = await startConversing(sqliteForTests());
});

const create = (fields: Json = {}) =>
  call(here.server, '/v1/responses', { body: { model: 'small', input: 'hello', ...fields } });
const sent = () => here.upstream.calls.at(-1)?.body as { messages: Json[]; tools: Json[] } & Json;

async function stream(fields: Json = {}): Promise<Event[]> {
  const { text, status } = await create({ stream: true, ...fields });
  expect(status).toBe(200);
  return text
    .split('\n\n')
    .filter((part) => part !== '' && !part.startsWith(':'))
    .map((part) => {
      const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(part) ?? [];
      const parsed = JSON.parse(data ?? '') as Event;
      expect(parsed.type).toBe(event);
      return parsed;
    });
}

const weather = { type: 'function', name: 'weather', parameters: { type: 'object', properties: { city: {} } } };
const typesOf = (events: Event[]) => events.map(({ type }) => type.replace('response.', ''));

describe('a response', () => {
  it('has the text as a message, the usage, and what was asked', async () => {
    const { status, body } = await create({ instructions: 'Be kind.', temperature: 0.5, metadata: { a: 'b' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      object: 'response',
      status: 'completed',
      model: 'small',
      instructions: 'Be kind.',
      temperature: 0.5,
      metadata: { a: 'b' },
      store: false,
      background: false,
      error: null,
      output: [
        {
          type: 'message',
          id: expect.stringMatching(/^msg_/),
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hello there', annotations: [] }],
        },
      ],
      usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
    });
    expect(sent()).toMatchObject({
      temperature: 0.5,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hello' },
      ],
    });
  });

  it('reads every kind of item: messages of four roles, thoughts, calls and their results', async () => {
    const { status } = await create({
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'Short.' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
        { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Let me see.', annotations: [] }],
        },
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_a_long_id_of_another_server',
          name: 'weather',
          arguments: '{}',
        },
        { type: 'function_call_output', call_id: 'call_a_long_id_of_another_server', output: 'Rain' },
        { role: 'user', content: 'And tomorrow?' },
      ],
      tools: [weather],
    });
    expect(status).toBe(200);
    const { messages } = sent();
    const [asked] = (messages[2] as { tool_calls: { id: string }[] }).tool_calls;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(asked?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(messages[3]).toMatchObject({ tool_call_id: asked?.id, content: 'Rain' });
  });

  it('calls functions, also those of a namespace, which the client sees under their own names', async () => {
    here.says({ calls: [{ name: 'city__weather', arguments: { city: 'Nice' }, id: 'abcdefghi' }] });
    const { body } = await create({
      tools: [{ type: 'namespace', name: 'city', description: 'About cities', tools: [weather] }],
    });
    expect(body).toMatchObject({
      output: [
        {
          type: 'function_call',
          call_id: 'call_abcdefghi',
          name: 'weather',
          namespace: 'city',
          arguments: '{"city":"Nice"}',
        },
      ],
    });
    expect(sent().tools).toMatchObject([{ function: { name: 'city__weather', description: 'About cities' } }]);
    await create({
      input: [
        { role: 'user', content: 'x' },
        ...(body as { output: Json[] }).output,
        { type: 'function_call_output', call_id: 'call_abcdefghi', output: 'Sun' },
      ],
    });
    expect(sent().messages[1]).toMatchObject({
      tool_calls: [{ id: 'abcdefghi', function: { name: 'city__weather' } }],
    });
  });

  it('follows tool_choice, text.format and reasoning', async () => {
    here.says({ words: ['{"a":1}'] });
    const format = {
      type: 'json_schema',
      name: 'thing',
      schema: { type: 'object', properties: { a: { type: 'integer' } } },
    };
    expect((await create({ text: { format }, reasoning: { effort: 'low' }, max_output_tokens: 50 })).status).toBe(200);
    expect(sent()).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'thing', schema: format.schema } },
      reasoning_effort: 'low',
      max_tokens: 50,
    });
    here.says({ calls: [{ name: 'weather', arguments: {} }] });
    await create({ tools: [weather], tool_choice: { type: 'function', name: 'weather' }, parallel_tool_calls: false });
    expect(sent()).toMatchObject({ tool_choice: { function: { name: 'weather' } }, parallel_tool_calls: false });
  });

  it('streams created, in_progress, the item, its part, its deltas and their ends, numbered from 0', async () => {
    here.says({ words: ['Hel', 'lo'], paceMs: 5 });
    const events = await stream();
    expect(typesOf(events)).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'content_part.added'],
      ...[
        'output_text.delta',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
        'completed',
      ],
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({
      response: { status: 'completed', usage: { total_tokens: 10 }, output: [{ content: [{ text: 'Hello' }] }] },
    });
    expect(events[0]).toMatchObject({ response: { status: 'in_progress', output: [], usage: null } });
  });

  it('streams thoughts and calls as items of their own', async () => {
    here.says({ thinking: 'Let me think.', calls: [{ name: 'weather', arguments: { city: 'Nice' } }] });
    expect(typesOf(await stream({ tools: [weather] }))).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'reasoning_text.delta'],
      ...['reasoning_text.done', 'content_part.done', 'output_item.done'],
      ...['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.done', 'output_item.done'],
      'completed',
    ]);
  });

  it('that fails before its first event is an HTTP error', async () => {
    here.says({ status: 400 });
    expect((await create({ stream: true })).status).toBeGreaterThanOrEqual(400);
  });

  it('counts the tokens of its input without asking the model', async () => {
    const before = here.upstream.calls.length;
    const { status, body, headers } = await call(here.server, '/v1/responses/input_tokens', {
      body: { model: 'small', input: 'x'.repeat(400) },
    });
    expect([status, body]).toEqual([200, { object: 'response.input_tokens', input_tokens: 100 }]);
    expect(headers.get('tramontane-estimated')).toBe('input_tokens');
    expect(here.upstream.calls.length).toBe(before);
  });
});

describe('a response is refused', () => {
  it.each<[string, Json]>([
    ['an unknown field', { surprise: 1 }],
    ['a previous response, since none is kept', { previous_response_id: 'resp_1' }],
    ['a conversation', { conversation: 'conv_1' }],
    ['store', { store: true }],
    ['background', { background: true }],
    ['log probabilities', { top_logprobs: 3 }],
    ['truncation', { truncation: 'auto' }],
    ['an unknown item', { input: [{ type: 'computer_call' }] }],
    ['an unknown field of an item', { input: [{ role: 'user', content: 'x', surprise: 1 }] }],
    [
      'the words of the assistant in the mouth of the user',
      { input: [{ role: 'user', content: [{ type: 'output_text', text: 'x' }] }] },
    ],
    ['a tool that the server would run', { tools: [{ type: 'web_search' }] }],
    [
      'metadata of seventeen pairs',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v'])) },
    ],
  ])('with 422 for %s', async (_, fields) => {
    const { status, body } = await create(fields);
    expect(status).toBe(422);
    expect(body).toMatchObject({ object: 'error', detail: expect.any(Array), message: expect.any(String) });
  });

  it.each<[string, Json]>([
    [
      'a call without its result',
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        ],
      },
    ],
    ['a result without its call', { input: [{ type: 'function_call_output', call_id: 'a', output: 'x' }] }],
    [
      'a choice of a function that is not there',
      { tools: [weather], tool_choice: { type: 'function', name: 'other' } },
    ],
    ['an unknown model', { model: 'nothing' }],
    [
      'an image without an address',
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] },
    ],
    ['no input at all', { input: [] }],
  ])('with 400 for %s', async (_, fields) => {
    const { status, body } = await create(fields);
    expect([status, (body as Json).object]).toEqual([400, 'error']);
  });

  it('without a key', async () => {
    expect(
      (await call(here.server, '/v1/responses', { key: 'none', body: { model: 'small', input: 'x' } })).status,
    ).toBe(401);
    expect((await call(here.server, '/v1/responses/input_tokens', { key: 'none', body: {} })).status).toBe(401);
  });
});

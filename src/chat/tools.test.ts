import { beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import {
  type ChatServer,
  callAnswer,
  deltaChunk,
  events,
  hello,
  json,
  readEvents,
  type ScriptedUpstream,
  serveScripted,
  startEvents,
  textAnswer,
  textEvents,
  usageChunk,
  weather,
} from './chat-for-tests.ts';

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeEach(async () => {
  ({ upstream, server } = await serveScripted());
});

type Call = { id: string; type: string; function: { name: string; arguments: string }; index: number };
type Body = { choices: { message: { content: string; tool_calls: Call[] | null }; finish_reason: string }[] };

const post = (fields: object = {}) =>
  call(server, '/v1/chat/completions', { body: { ...hello, tools: [weather], ...fields } });

async function choiceOf(fields: object = {}) {
  const { status, body, text } = await post(fields);
  if (status !== 200) throw new Error(text);
  const [choice] = (body as Body).choices;
  return { finish: choice?.finish_reason, content: choice?.message.content, calls: choice?.message.tool_calls ?? null };
}

const answerWith = (...answers: unknown[]) => {
  const left = [...answers];
  upstream.answerWith((_call, response) => json(response, 200, left.length > 1 ? left.shift() : left[0]));
};
const paris = { name: 'get_weather', arguments: '{"city":"Paris"}' };

describe('a call', () => {
  it('has an id of nine letters and digits, a name and JSON text [CHAT-TOOL-CALLS] [CHAT-TOOL-DEFINITION] [CHAT-TOOL-CHOICE-AUTO]', async () => {
    answerWith(callAnswer([paris, { ...paris, id: 'abcdefgh9' }]));
    const { finish, content, calls } = await choiceOf();
    expect({ finish, content }).toEqual({ finish: 'tool_calls', content: '' });
    expect(calls).toEqual([
      { id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/), type: 'function', function: paris, index: 0 },
      { id: 'abcdefgh9', type: 'function', function: paris, index: 1 },
    ]);
    expect(upstream.calls[0]?.body).toMatchObject({
      tools: [{ type: 'function', function: { name: 'get_weather', description: 'The weather of a city' } }],
      tool_choice: 'auto',
    });
  });

  it('of an id given twice gets one of its own', async () => {
    answerWith(
      callAnswer([
        { ...paris, id: 'abcdefgh9' },
        { ...paris, id: 'abcdefgh9' },
      ]),
    );
    const { calls } = await choiceOf();
    expect(new Set(calls?.map(({ id }) => id)).size).toBe(2);
  });

  it.each([
    ['an object', { city: 'Paris' }],
    ['a code fence', '```json\n{"city":"Paris"}\n```'],
    ['a trailing comma', '{"city":"Paris",}'],
    ['single quotes', "{'city':'Paris'}"],
    ['bare words', '{city: Paris}'],
    ['a missing brace', '{"city":"Paris"'],
    ['text encoded twice', '"{\\"city\\":\\"Paris\\"}"'],
  ])('with %s as arguments is repaired', async (_name, given) => {
    answerWith(callAnswer([{ name: 'get_weather', arguments: given }]));
    const { calls } = await choiceOf();
    expect(JSON.parse(calls?.[0]?.function.arguments ?? '')).toEqual({ city: 'Paris' });
    expect(upstream.calls).toHaveLength(1);
  });

  it.each([
    ['arguments that do not fit', { name: 'get_weather', arguments: '{"town":"Paris"}' }],
    ['arguments that are no JSON at all', { name: 'get_weather', arguments: 'Paris' }],
    ['a function that does not exist', { name: 'get_time', arguments: '{}' }],
  ])('with %s is asked for once more, and then refused', async (_name, bad) => {
    answerWith(callAnswer([bad]), callAnswer([paris]));
    expect((await choiceOf()).calls?.[0]?.function).toEqual(paris);
    expect(upstream.calls).toHaveLength(2);
    answerWith(callAnswer([bad]));
    expect(await post()).toMatchObject({
      status: 502,
      body: { object: 'error', type: 'server_error', code: 'invalid_tool_call' },
    });
    expect(upstream.calls).toHaveLength(4);
  });

  it('cut off by max_tokens is no call: the finish is length [CHAT-MAX-TOKENS]', async () => {
    answerWith(callAnswer([paris, { name: 'get_weather', arguments: '{"city":"Ro' }], 'length'));
    expect(await choiceOf()).toMatchObject({ finish: 'length', calls: [{ function: paris }] });
    answerWith(callAnswer([{ name: 'get_weather', arguments: '{"city":"Paris"' }], 'length'));
    expect(await choiceOf()).toMatchObject({ finish: 'length', calls: null });
    expect(upstream.calls).toHaveLength(2);
  });

  it('finishes with tool_calls whatever the server says, and only then', async () => {
    answerWith(callAnswer([paris], 'stop'));
    expect((await choiceOf()).finish).toBe('tool_calls');
    answerWith(textAnswer('no', 'tool_calls'));
    expect((await choiceOf()).finish).toBe('stop');
  });

  it('comes alone when calls may not be parallel [CHAT-PARALLEL]', async () => {
    answerWith(callAnswer([paris, paris]));
    expect((await choiceOf({ parallel_tool_calls: false })).calls).toHaveLength(1);
  });
});

describe('tool_choice', () => {
  it.each(['any', 'required'])('%s forces a call, and insists once [CHAT-TOOL-CHOICE-ANY]', async (tool_choice) => {
    answerWith(textAnswer('It rains.'), callAnswer([paris]));
    expect(await choiceOf({ tool_choice })).toMatchObject({ finish: 'tool_calls', calls: [{ function: paris }] });
    expect(upstream.calls.map(({ body }) => body.tool_choice)).toEqual([
      'required',
      { type: 'function', function: { name: 'get_weather' } },
    ]);
    expect((upstream.calls[1]?.body.messages as unknown[] | undefined)?.[0]).toMatchObject({
      role: 'system',
      content: expect.stringContaining('must answer by calling'),
    });
  });

  it('any takes a call that the model wrote as text', async () => {
    answerWith(textAnswer('<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'));
    expect(await choiceOf({ tool_choice: 'any' })).toMatchObject({ content: '', calls: [{ function: paris }] });
    expect(upstream.calls).toHaveLength(1);
  });

  it('any that is not obeyed twice is an error, never a text', async () => {
    answerWith(textAnswer('It rains.'));
    expect(await post({ tool_choice: 'any' })).toMatchObject({ status: 502, body: { code: 'missing_tool_call' } });
    expect(await post({ tool_choice: 'any', stream: true })).toMatchObject({
      status: 502,
      body: { code: 'missing_tool_call' },
    });
  });

  it('none never returns a call [CHAT-TOOL-CHOICE-NONE]', async () => {
    answerWith(callAnswer([paris], 'tool_calls', 'Just text'));
    expect(await choiceOf({ tool_choice: 'none' })).toEqual({ finish: 'stop', content: 'Just text', calls: null });
    expect(upstream.calls[0]?.body.tool_choice).toBe('none');
  });

  it('a function calls just that one [CHAT-TOOL-CHOICE-FUNCTION]', async () => {
    const time = { type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } };
    answerWith(callAnswer([{ name: 'get_time', arguments: '' }, paris]));
    const tool_choice = { type: 'function', function: { name: 'get_time' } };
    const { calls } = await choiceOf({ tools: [weather, time], tool_choice });
    expect(calls?.map(({ function: called }) => called)).toEqual([{ name: 'get_time', arguments: '{}' }]);
  });
});

describe('in a stream', () => {
  const fragments = (...texts: string[]) => [
    deltaChunk({ role: 'assistant', content: 'Let me see. ' }),
    deltaChunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'get_weather', arguments: '' } }] }),
    ...texts.map((text) => deltaChunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
    deltaChunk({}, 'tool_calls'),
    usageChunk,
  ];
  const stream = async (fields: object = {}) => readEvents((await post({ stream: true, ...fields })).text);

  it('a call arrives whole, in one delta, with text before it [CHAT-TOOL-CALL-WHOLE]', async () => {
    upstream.answerWith((_call, response) => events(response, fragments('{"ci', 'ty":', '"Paris"}')));
    const { chunks, isDone } = await stream();
    const deltas = chunks.map(({ choices }) => choices[0]);
    expect(deltas.map((choice) => [choice?.delta.content, choice?.delta.tool_calls, choice?.finish_reason])).toEqual([
      ['', undefined, null],
      ['Let me see. ', undefined, null],
      ['', [{ id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/), type: 'function', function: paris, index: 0 }], null],
      ['', undefined, 'tool_calls'],
    ]);
    expect(isDone).toBe(true);
  });

  it('a call that cannot be repaired is asked for once more; text that was sent stays', async () => {
    upstream.answerWith((call, response) =>
      call.body.stream
        ? events(response, fragments('{"town":"Paris"}'))
        : json(response, 200, callAnswer([paris], 'tool_calls', 'Never shown')),
    );
    const { chunks, isDone } = await stream();
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(calls).toMatchObject([{ function: paris }]);
    expect(JSON.stringify(chunks)).not.toContain('Never shown');
    expect(isDone).toBe(true);
  });

  it('a call that cannot be had is an error event after text, and an error before it', async () => {
    upstream.answerWith((call, response) => {
      if (!call.body.stream) return json(response, 200, textAnswer('no'));
      const [text, ...rest] = fragments('nonsense');
      startEvents(response);
      response.write(`data: ${JSON.stringify(text)}\n\n`);
      setTimeout(() => response.end(rest.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')), 30);
    });
    const { error, isDone } = await stream();
    expect(error).toMatchObject({ object: 'error', code: 'invalid_tool_call' });
    expect(isDone).toBe(false);
    upstream.answerWith((call, response) =>
      call.body.stream ? events(response, fragments('nonsense')) : json(response, 200, textAnswer('no')),
    );
    expect(await post({ stream: true })).toMatchObject({ status: 502, body: { code: 'invalid_tool_call' } });
  });

  it('a call that was cut off is not sent', async () => {
    upstream.answerWith((_call, response) =>
      events(response, [
        deltaChunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'get_weather', arguments: '{"ci' } }] }),
        deltaChunk({}, 'length'),
        usageChunk,
      ]),
    );
    const { chunks } = await stream();
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])).toEqual([]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
  });

  it('none never sends a call', async () => {
    upstream.answerWith((_call, response) => events(response, fragments('{"city":"Paris"}')));
    const { chunks } = await stream({ tool_choice: 'none' });
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])).toEqual([]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  it('text without calls passes as it comes', async () => {
    upstream.answerWith((_call, response) => textEvents(response, ['a', 'b']));
    expect((await stream()).chunks).toHaveLength(4);
  });
});

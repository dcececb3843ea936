import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sqliteForTests } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  callAnswer,
  deltaChunk,
  events,
  json,
  type ScriptedUpstream,
  startUpstream,
  textAnswer,
  textEvents,
  usageChunk,
  weather,
} from './support.ts';

let upstream: ScriptedUpstream;
let server: TestServer;
let client: Mistral;
beforeAll(async () => {
  upstream = await startUpstream();
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        {
          id: 'small',
          aliases: ['small-latest'],
          engine: 'upstream',
          url: upstream.url,
          capabilities: { completion_chat: true, completion_fim: true },
        },
      ],
    },
  });
  client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } });
});

const messages = [{ role: 'user' as const, content: 'How is the weather in Paris?' }];

describe('the official TypeScript SDK', () => {
  it('completes a chat; the answer names what served', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('Sunny.')));
    const answer = await client.chat.complete({ model: 'small-latest', messages, randomSeed: 1, safePrompt: true });
    expect(answer.model).toBe('small');
    expect(answer.choices[0]?.message?.content).toBe('Sunny.');
    expect(answer.usage).toMatchObject({ promptTokens: 7, completionTokens: 3, totalTokens: 10 });
  });

  it('streams one', async () => {
    upstream.answerWith((_call, response) => textEvents(response, ['Sun', 'ny.']));
    let text = '';
    let usage: unknown;
    for await (const { data } of await client.chat.stream({ model: 'small', messages })) {
      text += data.choices[0]?.delta.content ?? '';
      usage ??= data.usage;
    }
    expect(text).toBe('Sunny.');
    expect(usage).toMatchObject({ totalTokens: 10 });
  });

  it('goes round with a tool, streamed and not', async () => {
    upstream.answerWith((call, response) => {
      const last = (call.body.messages as { role: string; content: string }[]).at(-1);
      if (last?.role === 'tool') return json(response, 200, textAnswer(`It is ${last.content}.`));
      const paris = { name: 'get_weather', arguments: '{"city":"Paris"}' };
      if (!call.body.stream) return json(response, 200, callAnswer([paris]));
      events(response, [
        deltaChunk({ tool_calls: [{ index: 0, id: 'call_1', function: paris }] }),
        deltaChunk({}, 'tool_calls'),
        usageChunk,
      ]);
    });
    const tools = [weather as never];
    const asked = await client.chat.complete({ model: 'small', messages, tools, toolChoice: 'any' });
    const said = asked.choices[0]?.message;
    const [wanted] = said?.toolCalls ?? [];
    expect(wanted?.function).toEqual({ name: 'get_weather', arguments: '{"city":"Paris"}' });
    const answer = await client.chat.complete({
      model: 'small',
      tools,
      messages: [
        ...messages,
        { ...said, role: 'assistant' },
        { role: 'tool', name: 'get_weather', content: '21 °C', toolCallId: wanted?.id ?? '' },
      ],
    });
    expect(answer.choices[0]?.message?.content).toBe('It is 21 °C.');

    const streamed: unknown[] = [];
    for await (const { data } of await client.chat.stream({ model: 'small', messages, tools })) {
      streamed.push(...(data.choices[0]?.delta.toolCalls ?? []));
    }
    expect(streamed).toMatchObject([{ function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }]);
  });

  it('parses structured output', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('```json\n{"name":"Ada","age":36}\n```')));
    const responseFormat = z.object({ name: z.string(), age: z.int() });
    const answer = await client.chat.parse({ model: 'small', messages, responseFormat: responseFormat as never });
    expect(answer.choices?.[0]?.message?.parsed).toEqual({ name: 'Ada', age: 36 });
  });

  it('fills in the middle, streamed and not', async () => {
    upstream.answerWith((call, response) =>
      call.body.stream ? textEvents(response, ['return', ' a']) : json(response, 200, textAnswer('return a')),
    );
    const request = { model: 'small', prompt: 'def f(a):\n  ', suffix: '\n' };
    expect((await client.fim.complete(request)).choices[0]?.message?.content).toBe('return a');
    let text = '';
    for await (const { data } of await client.fim.stream(request)) text += data.choices[0]?.delta.content ?? '';
    expect(text).toBe('return a');
  });

  it('gets our errors as its own', async () => {
    await expect(client.chat.complete({ model: 'nobody', messages })).rejects.toMatchObject({ statusCode: 400 });
    await expect(client.chat.stream({ model: 'small', messages: [] })).rejects.toMatchObject({ statusCode: 400 });
    upstream.answerWith((_call, response) => json(response, 429, {}));
    await expect(client.chat.complete({ model: 'small', messages })).rejects.toMatchObject({ statusCode: 429 });
  });
});

describe('another Tramontane as the server', () => {
  it('answers through two of them: seed, stream, tools, JSON, prefix and the middle', async () => {
    const front = await startTestServer(sqliteForTests(), {
      file: {
        models: [
          {
            id: 'front',
            engine: 'upstream',
            url: `${server.url}/v1`,
            api_key: server.key,
            upstream_model: 'small-latest',
            capabilities: { completion_chat: true, completion_fim: true },
          },
        ],
      },
    });
    const far = new Mistral({ serverURL: front.url, apiKey: front.key, retryConfig: { strategy: 'none' } });
    upstream.answerWith((call, response) => {
      if (call.body.tools) return json(response, 200, callAnswer([{ name: 'get_weather', arguments: '{city:Paris}' }]));
      if (call.body.response_format) return json(response, 200, textAnswer("{'a': 1}"));
      return call.body.stream
        ? textEvents(response, ['<think>Hm.</think>', 'far', ' away'])
        : json(response, 200, textAnswer('far'));
    });
    const base = { model: 'front', messages };
    expect((await far.chat.complete({ ...base, randomSeed: 4, stop: 'x' })).model).toBe('front');
    expect(upstream.calls.at(-1)?.body).toMatchObject({ seed: 4, stop: ['x'], model: 'small' });

    let text = '';
    let thoughts = '';
    for await (const { data } of await far.chat.stream({ ...base, randomSeed: 5 })) {
      const content = data.choices[0]?.delta.content ?? '';
      if (typeof content === 'string') text += content;
      else thoughts += JSON.stringify(content);
    }
    expect([text, thoughts.includes('Hm.')]).toEqual(['far away', true]);

    const called = await far.chat.complete({ ...base, tools: [weather as never], toolChoice: 'required' });
    expect(called.choices[0]?.message?.toolCalls?.[0]?.function.arguments).toBe('{"city":"Paris"}');
    const object = await far.chat.complete({ ...base, responseFormat: { type: 'json_object' } });
    expect(object.choices[0]?.message?.content).toBe('{"a":1}');
    const prefixed = [...messages, { role: 'assistant' as const, content: 'Not so ', prefix: true }];
    expect((await far.chat.complete({ model: 'front', messages: prefixed })).choices[0]?.message?.content).toBe(
      'Not so far',
    );
    expect((await far.fim.complete({ model: 'front', prompt: 'a', suffix: 'b' })).choices[0]?.message?.content).toBe(
      'far',
    );
  });
});

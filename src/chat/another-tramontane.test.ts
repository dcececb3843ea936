import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer } from '../../test/support/server.ts';
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
} from './chat-for-tests.ts';

let upstream: ScriptedUpstream;
let far: Mistral;
beforeAll(async () => {
  upstream = await startUpstream();
  const model = { engine: 'upstream' as const, url: upstream.url };
  const capabilities = { completion_chat: true, completion_fim: true };
  const behind = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        { ...model, id: 'small', aliases: ['small-latest'], capabilities },
        { ...model, id: 'vectors', capabilities: {} },
      ],
    },
  });
  const theirs = { engine: 'upstream' as const, url: `${behind.url}/v1`, api_key: behind.key };
  const front = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        { ...theirs, id: 'front', upstream_model: 'small-latest', capabilities },
        { ...theirs, id: 'embedder', upstream_model: 'vectors', capabilities: {} },
      ],
    },
  });
  far = new Mistral({ serverURL: front.url, apiKey: front.key, retryConfig: { strategy: 'none' } });
});

const messages = [{ role: 'user' as const, content: 'How is the weather in Paris?' }];
const base = { model: 'front', messages };
const tools = [weather as never];

describe('another Tramontane as the server', () => {
  it('answers whole: seed, stop, and the model that served', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('far')));
    const answer = await far.chat.complete({ ...base, randomSeed: 4, stop: 'x' });
    expect(answer).toMatchObject({ model: 'front', usage: { totalTokens: 10 } });
    expect(upstream.calls.at(-1)?.body).toMatchObject({ seed: 4, stop: ['x'], model: 'small' });
  });

  it('streams text and thoughts, with its own figures at the end', async () => {
    upstream.answerWith((_call, response) => textEvents(response, ['<think>Hm.</think>', 'far', ' away 🙂']));
    let text = '';
    let thoughts = '';
    let usage: unknown;
    for await (const { data } of await far.chat.stream({ ...base, randomSeed: 5 })) {
      const content = data.choices[0]?.delta.content ?? '';
      if (typeof content === 'string') text += content;
      else thoughts += JSON.stringify(content);
      usage = data.usage;
    }
    expect([text, thoughts.includes('Hm.')]).toEqual(['far away 🙂', true]);
    expect(usage).toMatchObject({ promptTokens: 7, completionTokens: 3, totalTokens: 10 });
  });

  it('calls tools, whole and streamed, and is told their results', async () => {
    upstream.answerWith((call, response) => {
      const last = (call.body.messages as { role: string; content: string }[]).at(-1);
      if (last?.role === 'tool') return json(response, 200, textAnswer(`It is ${last.content}.`));
      if (!call.body.stream)
        return json(response, 200, callAnswer([{ name: 'get_weather', arguments: '{city:Paris}' }]));
      const part = (fields: object) => deltaChunk({ tool_calls: [{ index: 0, ...fields }] });
      events(response, [
        part({ id: 'call_1', function: { name: 'get_weather', arguments: '{"city":' } }),
        part({ function: { arguments: '"Paris"}' } }),
        deltaChunk({}, 'tool_calls'),
        usageChunk,
      ]);
    });
    const called = await far.chat.complete({ ...base, tools, toolChoice: 'required' });
    const said = called.choices[0]?.message;
    const [wanted] = said?.toolCalls ?? [];
    expect(wanted?.function.arguments).toBe('{"city":"Paris"}');
    const result = { role: 'tool' as const, content: '21 °C', toolCallId: wanted?.id ?? '' };
    const told = await far.chat.complete({
      ...base,
      tools,
      messages: [...messages, { ...said, role: 'assistant' as const }, result],
    });
    expect(told.choices[0]?.message?.content).toBe('It is 21 °C.');

    const streamed: unknown[] = [];
    let finish: unknown;
    for await (const { data } of await far.chat.stream({ ...base, tools })) {
      streamed.push(...(data.choices[0]?.delta.toolCalls ?? []));
      finish = data.choices[0]?.finishReason;
    }
    expect(streamed).toMatchObject([{ function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }]);
    expect(finish).toBe('tool_calls');
  });

  it('answers with JSON, goes on from a prefix, fills in the middle, and embeds', async () => {
    upstream.answerWith((call, response) => {
      if (call.path.endsWith('/embeddings')) return json(response, 200, { data: [{ index: 0, embedding: [1, 0] }] });
      return json(response, 200, textAnswer(call.body.response_format ? "{'a': 1}" : 'far'));
    });
    const object = await far.chat.complete({ ...base, responseFormat: { type: 'json_object' } });
    expect(object.choices[0]?.message?.content).toBe('{"a":1}');
    const prefixed = [...messages, { role: 'assistant' as const, content: 'Not so ', prefix: true }];
    const continued = await far.chat.complete({ ...base, messages: prefixed });
    expect(continued.choices[0]?.message?.content).toBe('Not so far');
    const middle = await far.fim.complete({ model: 'front', prompt: 'a', suffix: 'b' });
    expect(middle.choices[0]?.message?.content).toBe('far');
    const embedded = await far.embeddings.create({ model: 'embedder', inputs: ['x'] });
    expect(embedded.data[0]?.embedding).toEqual([1, 0]);
  });
});

import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
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
} from '../../src/chat/chat-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import type { UpstreamCall } from '../support/upstream.ts';
import { sdks } from './inference.ts';
import { registerTuned } from './register-tuned.ts';

let upstream: ScriptedUpstream;
let server: TestServer;
beforeAll(async () => {
  upstream = await startUpstream();
  const model = { engine: 'upstream' as const, url: upstream.url };
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        {
          ...model,
          id: 'small',
          aliases: ['small-latest'],
          capabilities: { completion_chat: true, completion_fim: true, function_calling: true },
        },
        { ...model, id: 'vectors', capabilities: {} },
        // Its weights are not here: a separate entry needs none.
        { id: 'base', engine: 'llama', weights: '/nowhere/base.gguf' },
      ],
    },
  });
  upstream.answerWith((asked, response) => {
    const { stream } = asked.body;
    if (asked.path.endsWith('/embeddings')) return json(response, 200, vectorsFor(asked));
    if (asked.path.endsWith('/fim/completions')) {
      return stream ? textEvents(response, ['  return', ' a + b']) : json(response, 200, textAnswer('  return a + b'));
    }
    const last = (asked.body.messages as { role: string; content: string }[]).at(-1);
    if (last?.role === 'tool') return json(response, 200, textAnswer(`It is ${last.content}.`));
    if (asked.body.response_format) return json(response, 200, textAnswer('{"name":"Ada","age":36}'));
    if (!asked.body.tools)
      return stream ? textEvents(response, ['Sun', 'ny.']) : json(response, 200, textAnswer('Sunny.'));
    const paris = { name: 'get_weather', arguments: '{"city":"Paris"}' };
    if (!stream) return json(response, 200, callAnswer([paris]));
    events(response, [deltaChunk({ tool_calls: [{ index: 0, id: 'x', function: paris }] }, 'tool_calls'), usageChunk]);
  });
});

function vectorsFor({ body }: UpstreamCall): unknown {
  const data = (body.input as string[]).map((_, index) => ({ index, embedding: Array(16).fill(index + 1) }));
  return { object: 'list', data: data.reverse(), usage: { prompt_tokens: 5, total_tokens: 5 } };
}

describe.each(sdks)('the official %s SDK, in front of an upstream server', (_name, use) => {
  it('uses chat, streams, tools, structured output, the middle, embeddings and models', async () => {
    const tuned = await registerTuned(server, 'base');
    const seen = await use(server, {
      chat: 'small-latest',
      fim: 'codestral-2508',
      embeddings: 'mistral-embed-2312',
      tuned,
    });
    const stream = { content: 'Sunny.', role: 'assistant', finish: 'stop', total: 10, early_usage: false };
    const called = {
      id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/),
      name: 'get_weather',
      arguments: '{"city":"Paris"}',
    };
    expect(seen).toEqual({
      chat: { model: 'small', content: 'Sunny.', finish: 'stop', total: 10 },
      stream,
      async_stream: stream,
      tool: { ...called, finish: 'tool_calls' },
      told: 'It is 21 degrees.',
      tool_stream: { deltas: [called], finish: 'tool_calls' },
      parsed: { name: 'Ada', age: 36 },
      parsed_stream: { name: 'Ada', age: 36 },
      fim: { content: '  return a + b' },
      fim_stream: { content: '  return a + b' },
      embeddings: {
        model: 'vectors',
        sizes: [
          [0, 16],
          [1, 16],
        ],
        encoded: 8,
        total: 5,
      },
      models: {
        ids: expect.arrayContaining(['small', 'vectors', 'base', tuned, 'small-latest', 'mistral-large-2512']),
        alias: 'small-latest',
        tuned: 'fine-tuned',
        updated: 'New',
        archived: true,
        unarchived: false,
        deleted: true,
        gone: { status: 404, message: expect.stringContaining(tuned) },
        base: { status: 403, message: expect.stringContaining('base model') },
      },
    });
  });
});

describe('the official TypeScript SDK', () => {
  it('gets our errors as its own', async () => {
    const client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    await expect(client.chat.complete({ model: 'nobody', messages })).rejects.toMatchObject({ statusCode: 400 });
    await expect(client.chat.stream({ model: 'small', messages: [] })).rejects.toMatchObject({ statusCode: 400 });
    upstream.answerWith((_call, response) => json(response, 429, {}));
    await expect(client.chat.complete({ model: 'small', messages })).rejects.toMatchObject({ statusCode: 429 });
  });
});

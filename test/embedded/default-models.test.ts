import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  chatWeightsForTests,
  embeddingWeightsForTests,
  testModelsDir,
} from '../../src/engines/weights/weights-for-tests.ts';
import { call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const weights = (await chatWeightsForTests()) && (await embeddingWeightsForTests());
const messages = [{ role: 'user' as const, content: 'Say hello in one short sentence.' }];

describe.runIf(weights)(
  'the embedded default models',
  () => {
    let server: TestServer;
    let client: Mistral;
    beforeAll(async () => {
      server = await startTestServer(sqliteForTests(), {
        environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
        file: {
          models: [
            {
              id: 'smollm2-135m-instruct',
              engine: 'llama',
              weights: 'smollm2-135m-instruct',
              context: 2048,
              sequences: 4,
            },
            { id: 'all-minilm-l6-v2', engine: 'onnx', weights: 'all-minilm-l6-v2', threads: 1 },
          ],
        },
      });
      client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } });
    });

    it('answer the names of public samples, and say who really served', async () => {
      const answer = await client.chat.complete({ model: 'mistral-small-latest', messages, maxTokens: 24 });
      expect(answer.model).toBe('smollm2-135m-instruct');
      expect(answer.choices[0]?.message?.content).toMatch(/\w/);
      expect(answer.usage.totalTokens).toBe((answer.usage.promptTokens ?? 0) + (answer.usage.completionTokens ?? 0));
    });

    it('stream the same text as they answer whole', async () => {
      const request = { model: 'smollm2-135m-instruct', messages, maxTokens: 24, temperature: 0, randomSeed: 7 };
      const whole = await client.chat.complete(request);
      let text = '';
      let usage: unknown;
      for await (const { data } of await client.chat.stream(request)) {
        text += data.choices[0]?.delta.content ?? '';
        usage = data.usage;
      }
      expect(text).toBe(whole.choices[0]?.message?.content);
      expect(usage).toMatchObject({ completionTokens: whole.usage.completionTokens });
    });

    it('call a tool with arguments that fit its schema when they must', async () => {
      const parameters = {
        type: 'object',
        properties: {
          city: { type: 'string', enum: ['Paris', 'Rome'] },
          days: { type: 'integer', minimum: 1, maximum: 7 },
        },
        required: ['city', 'days'],
        additionalProperties: false,
      };
      for (const toolChoice of ['any', { type: 'function' as const, function: { name: 'get_weather' } }] as const) {
        const answer = await client.chat.complete({
          model: 'smollm2-135m-instruct',
          messages: [{ role: 'user', content: 'Weather in Rome for 3 days?' }],
          tools: [{ type: 'function', function: { name: 'get_weather', description: 'The weather', parameters } }],
          toolChoice,
          parallelToolCalls: false,
          temperature: 0,
          maxTokens: 128,
        });
        const [toolCall] = answer.choices[0]?.message?.toolCalls ?? [];
        expect(answer.choices[0]?.finishReason).toBe('tool_calls');
        expect(toolCall).toMatchObject({
          id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/),
          function: { name: 'get_weather' },
        });
        const Arguments = z.strictObject({ city: z.enum(['Paris', 'Rome']), days: z.int().min(1).max(7) });
        expect(Arguments.safeParse(JSON.parse(String(toolCall?.function.arguments))).success).toBe(true);
      }
    });

    it('answer in the structure that was asked for', async () => {
      const Person = z.object({ name: z.string(), age: z.int().min(0).max(120) });
      const answer = await call(server, '/v1/chat/completions', {
        body: {
          model: 'smollm2-135m-instruct',
          messages: [{ role: 'user', content: 'Describe a person as JSON.' }],
          max_tokens: 80,
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'person', strict: true, schema: z.toJSONSchema(Person) },
          },
        },
      });
      const { choices } = answer.body as { choices: { message: { content: string }; finish_reason: string }[] };
      if (choices[0]?.finish_reason === 'stop')
        expect(Person.safeParse(JSON.parse(choices[0].message.content)).success).toBe(true);
      else expect(choices[0]?.finish_reason).toBe('length');
    });

    it('refuse a request beyond their context, and say so [MODELS-CONTEXT-LIMIT]', async () => {
      const answer = await call(server, '/v1/chat/completions', {
        body: { model: 'smollm2-135m-instruct', messages: [{ role: 'user', content: 'word '.repeat(6000) }] },
      });
      expect(answer).toMatchObject({ status: 400, body: { object: 'error', type: 'invalid_request_error' } });
    });

    it.runIf(python)(
      'work in the official Python SDK: chat, stream, tools, embeddings, models',
      async () => {
        const script = fileURLToPath(new URL('./default-models.py', import.meta.url));
        const { stdout } = await promisify(execFile)(python ?? '', [script, server.url, server.key]);
        const result = JSON.parse(stdout) as Record<string, unknown> & { tool: { arguments: string } };
        expect(result).toMatchObject({
          model: 'smollm2-135m-instruct',
          content: expect.stringMatching(/\w/),
          streamed: expect.stringMatching(/\w/),
          streamed_usage: true,
          tool: { name: 'get_weather', id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/) },
          finish_reason: 'tool_calls',
          dimensions: [384, 384],
          models: ['smollm2-135m-instruct', 'all-minilm-l6-v2'],
        });
        expect(['Paris', 'Rome']).toContain((JSON.parse(result.tool.arguments) as { city: string }).city);
      },
      60_000,
    );
  },
  120_000,
);

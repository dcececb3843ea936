import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  chatWeightsForTests,
  embeddingWeightsForTests,
  testModelsDir,
} from '../../src/engines/weights/weights-for-tests.ts';
import { sdks } from '../sdk/inference.ts';
import { registerTuned } from '../sdk/register-tuned.ts';
import { call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { rounds } from '../support/rounds.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const weights = (await chatWeightsForTests()) && (await embeddingWeightsForTests());
const messages = [{ role: 'user' as const, content: 'Say hello in one short sentence.' }];

type Logprobs = { content: { token: string; logprob: number; top_logprobs: unknown[] }[] };
type LoggedChoice = { message: { content: string }; logprobs: Logprobs; prompt_logprobs: Logprobs };

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

    it('accept the names of public samples, and report the model that really served', async () => {
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
      const named = { type: 'function' as const, function: { name: 'get_weather' } };
      for (const toolChoice of rounds(['any' as const], ['any' as const, named])) {
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

    inFull.it(
      'go on from a prefix in the structure that was asked for, or refuse a prefix that cannot be one',
      async () => {
        const schema = { type: 'object', properties: { ok: { enum: [true, null] } }, required: ['ok'] };
        const ask = (content: string) =>
          call(server, '/v1/chat/completions', {
            body: {
              model: 'smollm2-135m-instruct',
              messages: [...messages, { role: 'assistant', content, prefix: true }],
              max_tokens: 24,
              response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
            },
          });
        for (const prefix of ['{', '{"o', '{"ok": n']) {
          const { choices } = (await ask(prefix)).body as { choices: { message: { content: string } }[] };
          expect(choices[0]?.message.content).toMatch(/^\{"ok": ?(true|null)\}$/);
          expect(choices[0]?.message.content.startsWith(prefix)).toBe(true);
        }
        expect(await ask('Sure: {')).toMatchObject({
          status: 400,
          body: { message: expect.stringContaining('begins with the given prefix') },
        });
      },
    );

    it('tell the log probabilities of their tokens and of the prompt [CHAT-LOGPROBS-EMBEDDED]', async () => {
      const answer = await call(server, '/v1/chat/completions', {
        body: {
          model: 'smollm2-135m-instruct',
          messages,
          max_tokens: 2,
          logprobs: true,
          top_logprobs: 2,
          prompt_logprobs: true,
        },
      });
      const [choice] = (answer.body as { choices: LoggedChoice[] }).choices;
      expect(choice?.logprobs.content.map(({ token }) => token).join('')).toBe(choice?.message.content);
      for (const { logprob, top_logprobs } of choice?.logprobs.content ?? []) {
        expect(logprob).toBeLessThanOrEqual(0);
        expect(top_logprobs).toHaveLength(2);
      }
      expect(choice?.prompt_logprobs.content.length).toBeGreaterThan(10);
    });

    it('embed a list of texts', async () => {
      const { data, usage } = await client.embeddings.create({ model: 'mistral-embed', inputs: ['one', 'two'] });
      expect(data.map(({ index, embedding }) => [index, embedding?.length])).toEqual([
        [0, 384],
        [1, 384],
      ]);
      expect(usage.totalTokens).toBeGreaterThan(0);
    });

    it('make no token where none is asked for', async () => {
      const answer = await call(server, '/v1/chat/completions', {
        body: { model: 'smollm2-135m-instruct', messages, max_tokens: 0, n: 2 },
      });
      expect(answer.body).toMatchObject({
        choices: [
          { message: { content: '' }, finish_reason: 'length' },
          { message: { content: '' }, finish_reason: 'length' },
        ],
        usage: { completion_tokens: 0, prompt_tokens: expect.any(Number) },
      });
    });

    it('refuse a request beyond their context, and say so [MODELS-CONTEXT-LIMIT]', async () => {
      const answer = await call(server, '/v1/chat/completions', {
        body: { model: 'smollm2-135m-instruct', messages: [{ role: 'user', content: 'word '.repeat(6000) }] },
      });
      expect(answer).toMatchObject({ status: 400, body: { object: 'error', type: 'invalid_request_error' } });
      const together = await call(server, '/v1/chat/completions', {
        body: { model: 'smollm2-135m-instruct', messages, max_tokens: 2040 },
      });
      expect(together).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('and max_tokens asks for 2040') },
      });
    });

    // What each SDK makes of a response is tested with scripted models in every run.
    inFull.it.each(sdks)(
      'work in the official %s SDK: chat, streams, tools, structured output, embeddings, models',
      async (_name, use) => {
        const tuned = await registerTuned(server, 'smollm2-135m-instruct');
        const plan = { chat: 'mistral-small-latest', fim: 'codestral-latest', embeddings: 'mistral-embed', tuned };
        const seen = await use(server, plan);
        const stream = {
          content: seen.chat.content,
          role: 'assistant',
          finish: seen.chat.finish,
          total: seen.chat.total,
          early_usage: false,
        };
        const called = {
          id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/),
          name: 'get_weather',
          arguments: expect.stringMatching(/^\{\s*"city":\s*"(Paris|Rome)"\s*\}$/),
        };
        const person = { name: expect.stringMatching(/^(Ada|Alan)$/), age: expect.any(Number) };
        // The template of this model has no fill-in-the-middle tokens.
        const noMiddle = { status: 400, message: expect.stringContaining('cannot fill in the middle') };
        expect(seen).toEqual({
          chat: {
            model: 'smollm2-135m-instruct',
            content: expect.stringMatching(/\w/),
            finish: expect.stringMatching(/^(stop|length)$/),
            total: expect.any(Number),
          },
          stream,
          async_stream: stream,
          tool: { ...called, finish: 'tool_calls' },
          told: expect.stringMatching(/\w/),
          tool_stream: { deltas: [called], finish: 'tool_calls' },
          parsed: person,
          parsed_stream: person,
          fim: noMiddle,
          fim_stream: noMiddle,
          embeddings: {
            model: 'all-minilm-l6-v2',
            sizes: [
              [0, 384],
              [1, 384],
            ],
            encoded: 8,
            total: expect.any(Number),
          },
          models: {
            ids: expect.arrayContaining(['smollm2-135m-instruct', 'all-minilm-l6-v2', tuned, 'mistral-small-latest']),
            alias: 'mistral-small-latest',
            tuned: 'fine-tuned',
            updated: 'New',
            archived: true,
            unarchived: false,
            deleted: true,
            gone: { status: 404, message: expect.stringContaining(tuned) },
            base: { status: 403, message: expect.stringContaining('base model') },
          },
        });
      },
      // Some ten seconds of computing, which a busy machine stretches.
      240_000,
    );
  },
  120_000,
);

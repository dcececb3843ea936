import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import type { CompletionChunk, ToolCall } from '@mistralai/mistralai/models/components';
import { MistralError } from '@mistralai/mistralai/models/errors';
import { z } from 'zod';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import type { TestServer } from '../support/server.ts';

/** The model names for each task; `tuned` is a fine-tuned model, which is deleted afterwards. */
export type Plan = { chat: string; fim: string; embeddings: string; tuned: string };

type Refused = { status: number; message: string };
type Called = { id: string; name: string; arguments: string };
type Streamed = { content: string; role: unknown; finish: unknown; total: unknown; early_usage: boolean };

/** How an SDK parsed our responses; both print the same. */
export type Seen = {
  chat: { model: string; content: unknown; finish: unknown; total: unknown };
  stream: Streamed;
  async_stream: Streamed;
  tool: Called & { finish: unknown };
  told: unknown;
  tool_stream: { deltas: Called[]; finish: unknown };
  parsed: unknown;
  parsed_stream: unknown;
  fim: { content: unknown } | Refused;
  fim_stream: { content: unknown } | Refused;
  embeddings: { model: string; sizes: unknown[]; encoded: number; total: unknown };
  models: Record<string, unknown>;
};

export type UseSdk = (server: Pick<TestServer, 'url' | 'key'>, plan: Plan) => Promise<Seen>;

/** Python only where the SDK is installed. */
export const sdks: [name: string, use: UseSdk][] = [
  ['TypeScript', useTypeScript],
  ...(python ? [['Python', usePython] as [string, UseSdk]] : []),
];

async function usePython(server: Pick<TestServer, 'url' | 'key'>, plan: Plan): Promise<Seen> {
  const script = fileURLToPath(new URL('./inference.py', import.meta.url));
  return JSON.parse(await runPython(script, [server.url, server.key, JSON.stringify(plan)])) as Seen;
}

const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const tool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather in a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', enum: ['Paris', 'Rome'] } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};
const Person = z.object({ name: z.enum(['Ada', 'Alan']), age: z.int().min(0).max(120) });

async function useTypeScript(server: Pick<TestServer, 'url' | 'key'>, plan: Plan): Promise<Seen> {
  const client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } });
  const base = { model: plan.chat, maxTokens: 40, temperature: 0, randomSeed: 1 };
  const calling = { ...base, messages, tools: [tool], toolChoice: 'any' as const, parallelToolCalls: false };
  const asPerson = { ...base, messages, responseFormat: Person as never };

  const answer = await client.chat.complete({ ...base, messages });
  const stream = async () => summaryOf(await chunksOf(await client.chat.stream({ ...base, messages })));
  const called = await client.chat.complete(calling);
  const [said] = called.choices;
  const [first] = said?.message?.toolCalls ?? [];
  if (!said?.message || !first) throw new Error('no tool was called');
  const result = { role: 'tool' as const, name: 'get_weather', content: '21 degrees', toolCallId: first.id ?? '' };
  const told = await client.chat.complete({
    ...base,
    tools: [tool],
    toolChoice: 'none',
    messages: [...messages, { ...said.message, role: 'assistant' }, result],
  });
  const calls = await chunksOf(await client.chat.stream(calling));
  const parsed = await client.chat.parse(asPerson);
  const parsedStream = textOf(await chunksOf(await client.chat.parseStream(asPerson)));
  const middle = { model: plan.fim, prompt: 'def add(a, b):\n', suffix: '\nprint(add(1, 2))', maxTokens: 16 };
  const embedded = await client.embeddings.create({ model: plan.embeddings, inputs: ['one', 'two'] });
  const encoded = await client.embeddings.create({
    model: plan.embeddings,
    inputs: 'one',
    outputDtype: 'int8',
    outputDimension: 8,
  });
  return {
    chat: {
      model: answer.model,
      content: answer.choices[0]?.message?.content,
      finish: answer.choices[0]?.finishReason,
      total: answer.usage.totalTokens,
    },
    stream: await stream(),
    async_stream: await stream(),
    tool: { ...calledOf(first), finish: said.finishReason },
    told: told.choices[0]?.message?.content,
    tool_stream: {
      deltas: calls.flatMap(({ choices }) => choices[0]?.delta.toolCalls ?? []).map(calledOf),
      finish: calls.at(-1)?.choices[0]?.finishReason,
    },
    parsed: parsed.choices?.[0]?.message?.parsed,
    parsed_stream: Person.parse(JSON.parse(parsedStream)),
    fim: await attempt(async () => ({ content: (await client.fim.complete(middle)).choices[0]?.message?.content })),
    fim_stream: await attempt(async () => ({ content: textOf(await chunksOf(await client.fim.stream(middle))) })),
    embeddings: {
      model: embedded.model,
      sizes: embedded.data.map(({ index, embedding }) => [index, embedding?.length]),
      encoded: encoded.data[0]?.embedding?.length ?? 0,
      total: embedded.usage.totalTokens,
    },
    models: await useModels(client, plan),
  };
}

async function useModels({ models }: Mistral, { chat, tuned: modelId }: Plan): Promise<Record<string, unknown>> {
  const changes = { name: 'New', description: 'Better' };
  return {
    ids: (await models.list()).data?.map((card) => field(card, 'id')),
    alias: field(await models.retrieve({ modelId: chat }), 'id'),
    tuned: (await models.retrieve({ modelId })).type,
    updated: field(await models.update({ modelId, updateModelRequest: changes }), 'name'),
    archived: (await models.archive({ modelId })).archived,
    unarchived: (await models.unarchive({ modelId })).archived,
    deleted: (await models.delete({ modelId })).deleted,
    gone: await attempt(async () => (await models.retrieve({ modelId })).type),
    base: await attempt(async () => (await models.delete({ modelId: chat })).deleted),
  };
}

/** A property of a model card, which the SDK's types leave open for future kinds. */
function field(card: object, name: string): unknown {
  return (card as Record<string, unknown>)[name];
}

async function chunksOf(events: AsyncIterable<{ data: CompletionChunk }>): Promise<CompletionChunk[]> {
  const chunks: CompletionChunk[] = [];
  for await (const { data } of events) chunks.push(data);
  return chunks;
}

function textOf(chunks: CompletionChunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
}

function summaryOf(chunks: CompletionChunk[]): Streamed {
  const last = chunks.at(-1);
  return {
    content: textOf(chunks),
    role: chunks[0]?.choices[0]?.delta.role,
    finish: last?.choices[0]?.finishReason,
    total: last?.usage?.totalTokens,
    early_usage: chunks.slice(0, -1).some(({ usage }) => usage),
  };
}

function calledOf({ id, function: called }: ToolCall): Called {
  return { id: id ?? '', name: called.name, arguments: String(called.arguments) };
}

/** The result, or the status of the refusal. */
async function attempt<T>(work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MistralError)) throw error;
    return { status: error.statusCode, message: (JSON.parse(error.body) as { message: string }).message };
  }
}

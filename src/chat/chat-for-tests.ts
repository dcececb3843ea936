import type { ServerResponse } from 'node:http';
import pino from 'pino';
import { atEnd } from '../../test/support/cleanup.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import {
  type ChatRequest,
  createUpstreamConnections,
  createUpstreamEngine,
  type Delta,
  type Engine,
  type UpstreamEngineOptions,
} from '../engines/index.ts';
import { createGuardrailService } from '../guardrails/index.ts';
import { createHttpServer, type Idempotency, type Scope } from '../kit/http/index.ts';
import type { UsageRecord } from '../metering/index.ts';
import type { Model } from '../models/index.ts';
import { type ChatPorts, chatRoutes, createChatService } from './index.ts';

export { completion, json, type ScriptedUpstream, startUpstream };

const everyCapability = {
  completion_chat: true,
  function_calling: true,
  reasoning: true,
  completion_fim: true,
  fine_tuning: false,
  vision: true,
  ocr: false,
  classification: false,
  moderation: false,
  audio: true,
  audio_transcription: false,
  audio_transcription_realtime: false,
  audio_speech: false,
  unified_resources: false,
};

type Served =
  | Engine
  | ({ engine: Engine; capabilities?: Partial<Model['capabilities']> } & Partial<
      Pick<Model, 'deprecation' | 'replacement' | 'temperature'>
    >);

export type ChatServer = { url: string; key: string; usage: UsageRecord[]; logs: string[] };

const scope = {
  principal: 'tester',
  permissions: new Set(['chat:write']),
  organization_id: 'organization',
  workspace_id: 'workspace',
  key_id: 'key',
} as unknown as Scope;

/** The room behind real HTTP, with a fake authentication. */
export async function serveChat(models: Record<string, Served>, ports: Partial<ChatPorts> = {}): Promise<ChatServer> {
  const usage: UsageRecord[] = [];
  const logs: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logs.push(line) });
  const common = {
    models: { find: (name: string) => modelOf(name, models[name]) },
    now: Date.now,
    onUsage: (record: UsageRecord) => void usage.push(record),
    ...ports,
  };
  const chat = createChatService({ guardrails: createGuardrailService({ log, ...common }), ...common });
  const http = createHttpServer({
    routes: chatRoutes(chat),
    authenticate: () => scope,
    log,
    idempotency: {} as Idempotency,
    checkResponses: true,
  });
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  atEnd(() => http.drain(0));
  return { url, key: 'any', usage, logs };
}

export function modelOf(name: string, given: Served | undefined): Model | undefined {
  if (!given) return undefined;
  const { engine, capabilities = {}, ...card } = 'engine' in given ? given : { engine: given };
  return {
    id: name,
    aliases: [],
    name: null,
    description: null,
    max_context_length: 32_768,
    deprecation: null,
    replacement: null,
    temperature: null,
    ...card,
    capabilities: { ...everyCapability, ...capabilities },
    engine,
  };
}

/** An engine over scripted model servers in order, with short retry delays. */
export function engineFor(
  upstreams: ScriptedUpstream | string | (ScriptedUpstream | string)[],
  options: Partial<UpstreamEngineOptions> & { timeoutMs?: number; apiKey?: string } = {},
): Engine {
  const connections = createUpstreamConnections();
  atEnd(() => connections.close());
  const { timeoutMs = 5000, apiKey = 'upstream-secret', ...rest } = options;
  return createUpstreamEngine({
    targets: [upstreams].flat().map((upstream) => ({
      url: typeof upstream === 'string' ? upstream : upstream.url,
      apiKey,
      model: 'upstream-model',
      timeoutMs,
    })),
    connections,
    retry: { backoffMs: 1 },
    ...rest,
  });
}

/** One scripted model server with one model, `small`. */
export async function serveScripted(ports: Partial<ChatPorts> = {}) {
  const upstream = await startUpstream();
  const server = await serveChat({ small: engineFor(upstream) }, ports);
  return { upstream, server };
}

type WireCall = { id?: string; name: string; arguments: unknown };

export function callAnswer(calls: WireCall[], finish_reason = 'tool_calls', content: string | null = null): unknown {
  return {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content,
          tool_calls: calls.map(({ id = 'call_1', ...called }) => ({ id, type: 'function', function: called })),
        },
        finish_reason,
      },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  };
}

export function textAnswer(content: string, finish_reason = 'stop'): unknown {
  return {
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  };
}

export function deltaChunk(delta: unknown, finish_reason: string | null = null, index = 0): unknown {
  return { id: 'x', object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason }] };
}

export const usageChunk = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } };

export function startEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

export function events(response: ServerResponse, chunks: unknown[], { done = true } = {}): void {
  startEvents(response);
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end(done ? 'data: [DONE]\n\n' : '');
}

export function textEvents(response: ServerResponse, texts: string[], finish = 'stop'): void {
  events(response, [
    deltaChunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => deltaChunk({ content })),
    deltaChunk({}, finish),
    usageChunk,
  ]);
}

export type Chunk = {
  id: string;
  object: string;
  created: number;
  model: string;
  p: string;
  usage?: Record<string, unknown>;
  choices: {
    index: number;
    delta: { role?: string; content?: unknown; tool_calls?: { id: string; function: { arguments: string } }[] };
    finish_reason: string | null;
  }[];
};

export type Streamed = { chunks: Chunk[]; isDone: boolean; error: Record<string, unknown> | undefined };

/** Parses a stream; every line must be valid in a data-only stream. */
export function readEvents(text: string): Streamed {
  const streamed: Streamed = { chunks: [], isDone: false, error: undefined };
  for (const event of text.split('\n\n').filter((part) => part !== '' && !part.startsWith(':'))) {
    if (!event.startsWith('data: ')) throw new Error(`not a data-only event: ${event}`);
    if (event === 'data: [DONE]') streamed.isDone = true;
    else {
      const data = JSON.parse(event.slice(6));
      if (data.object === 'error') streamed.error = data;
      else streamed.chunks.push(data);
    }
  }
  return streamed;
}

export function textOf({ chunks }: Streamed, index = 0): string {
  return chunks
    .flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
    .map(({ delta }) => (typeof delta.content === 'string' ? delta.content : ''))
    .join('');
}

export const hello = { model: 'small', messages: [{ role: 'user', content: 'hello' }] };

export const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};

/** A request in the engine's terms. */
export function askFor(over: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    format: { type: 'text' },
    choices: 1,
    stop: [],
    ...over,
  };
}

/** A client that does not disconnect. */
export const never = () => new AbortController().signal;

export async function collect(batches: AsyncIterable<Delta[]>): Promise<Delta[]> {
  const all: Delta[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

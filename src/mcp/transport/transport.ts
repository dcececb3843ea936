import {
  createMcpHandler,
  isJSONRPCResponse,
  isLegacyRequest,
  type McpServer,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import type { Logger } from '../../kit/base/log.ts';
import { empty, type RawReply, type RequestContext, type Scope, type SseReply } from '../../kit/http/index.ts';
import type { ChangedList, Watcher, WatchLists } from './changes.ts';
import { createQuestions } from './questions.ts';
import { readMessage, refuseAnswer } from './read-message.ts';
import { SessionlessTransport } from './sessionless-transport.ts';
import { toReply } from './to-reply.ts';

export type McpTransport = {
  /** One JSON-RPC message, of either era. */
  post(context: RequestContext): Promise<SseReply | RawReply>;
  /** A stream that says when a list has changed, for clients of the 2025 era. */
  listen(context: RequestContext): Promise<SseReply | RawReply>;
  /** How many streams wait to tell of changes; zero when nobody is connected. */
  openStreams(): number;
};

/**
 * Streamable HTTP for the revisions of 2025 and for 2026-07-28 on one address. Nothing outlives its HTTP request,
 * so any process may answer the next one. A server object is built for each message, for exactly one caller.
 */
export function createMcpTransport(options: {
  build: (scope: Scope) => McpServer;
  watch: WatchLists;
  log: Logger;
}): McpTransport {
  const { build, watch, log } = options;
  const questions = createQuestions();
  let streams = 0;
  const onerror = (err: Error) => log.debug({ err }, 'An MCP message was refused.');

  async function watchCounted(context: RequestContext, watcher: Watcher): Promise<() => void> {
    const end = await watch(context, watcher);
    streams++;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      streams--;
      end();
    };
  }

  async function serve2026(context: RequestContext, request: Request, message: unknown) {
    let tell: ((event: ServerEvent) => void) | undefined;
    let unwatch: (() => void) | undefined;
    const handler = createMcpHandler(() => build(context.scope), {
      legacy: 'reject',
      keepAliveMs: 0,
      maxSubscriptions: Number.POSITIVE_INFINITY,
      onerror,
      bus: {
        publish: () => undefined,
        subscribe(listener) {
          tell = listener;
          return () => unwatch?.();
        },
      },
    });
    const close = async () => {
      unwatch?.();
      await handler.close();
    };
    const isListening = isListen(message);
    if (isListening) {
      unwatch = await watchCounted(context, {
        onChange: (list) => tell?.(eventOf[list]),
        onRevoked: () => void close(),
      });
    }
    if (context.signal.aborted) return leave(close);
    context.signal.addEventListener('abort', () => void close(), { once: true });
    return toReply(handler.fetch(request, { parsedBody: message }), { resumable: isListening, close });
  }

  async function serve2025(context: RequestContext, request: Request, message?: unknown) {
    const server = build(context.scope);
    const transport = new SessionlessTransport(questions, context.scope.principal);
    transport.onerror = onerror;
    let unwatch: (() => void) | undefined;
    const close = async () => {
      unwatch?.();
      await server.close();
    };
    const isListening = request.method === 'GET';
    if (isListening) {
      unwatch = await watchCounted(context, {
        onChange: (list) => void announce[list](server.server).catch(onerror),
        onRevoked: () => void close(),
      });
    }
    await server.connect(transport);
    if (context.signal.aborted) return leave(close);
    context.signal.addEventListener('abort', () => void close(), { once: true });
    const response = transport.handleRequest(request, message === undefined ? {} : { parsedBody: message });
    return toReply(response, { resumable: isListening, close });
  }

  return {
    async post(context) {
      const read = readMessage(context);
      if ('refusal' in read) return read.refusal;
      const { message } = read;
      if (isJSONRPCResponse(message)) {
        return questions.answer(context.scope.principal, message) ? empty(202) : refuseAnswer();
      }
      const request = toRequest('POST', context);
      return (await isLegacyRequest(request, message))
        ? serve2025(context, request, message)
        : serve2026(context, request, message);
    },
    listen: (context) => serve2025(context, toRequest('GET', context)),
    openStreams: () => streams,
  };
}

/** The client left before it could be answered. */
async function leave(close: () => Promise<void>): Promise<RawReply> {
  await close();
  return empty(499);
}

const eventOf: Record<ChangedList, ServerEvent> = {
  tools: { kind: 'tools_list_changed' },
  prompts: { kind: 'prompts_list_changed' },
  resources: { kind: 'resources_list_changed' },
};

const announce: Record<ChangedList, (server: McpServer['server']) => Promise<void>> = {
  tools: (server) => server.sendToolListChanged(),
  prompts: (server) => server.sendPromptListChanged(),
  resources: (server) => server.sendResourceListChanged(),
};

function isListen(message: unknown): boolean {
  return (message as { method?: unknown } | null)?.method === 'subscriptions/listen';
}

const PROTOCOL_HEADERS = new Set(['accept', 'content-type', 'last-event-id']);

/**
 * The library reads the protocol's headers and nothing else; the key in particular stays with us. The request carries
 * no signal: a Request only refers to it weakly, and once it is collected the library hears of no end any more.
 */
function toRequest(method: string, { headers }: RequestContext): Request {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (PROTOCOL_HEADERS.has(name) || name.startsWith('mcp-'))) passed.set(name, value);
  }
  return new Request('http://localhost/mcp', { method, headers: passed });
}

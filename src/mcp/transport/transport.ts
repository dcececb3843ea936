import {
  createMcpHandler,
  isJSONRPCResponse,
  isLegacyRequest,
  type McpServer,
  type RequestId,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import type { Logger } from '../../kit/base/log.ts';
import { empty, type RawReply, type RequestContext, raw, SSE_HEADERS, type SseReply } from '../../kit/http/index.ts';
import { createClientRequests } from './client-requests.ts';
import { parseMessage, refuseResponse } from './parse-message.ts';
import { readPlainList } from './plain-list.ts';
import { SessionlessTransport } from './sessionless-transport.ts';
import { toReply } from './to-reply.ts';
import type { ChangedList, Watcher, WatchLists } from './watcher.ts';

export type McpTransport = {
  /** Handles one JSON-RPC message, of either revision. */
  post(context: RequestContext): Promise<SseReply | RawReply>;
  /** A stream of change notifications, for clients of the 2025 revisions. */
  listen(context: RequestContext): Promise<SseReply | RawReply>;
  /** The number of open streams of change notifications. */
  openStreams(): number;
};

/**
 * Streamable HTTP for the revisions of 2025 and for 2026-07-28 on one path. Nothing outlives its HTTP request, so any
 * server can handle the next one. Each message gets a server object of its own, built for its caller.
 */
export function createMcpTransport(options: {
  build: (context: RequestContext) => McpServer;
  watch: WatchLists;
  log: Logger;
  /** The tools of the caller as JSON, for requests that need no server object. */
  renderTools?: (context: RequestContext) => Promise<Buffer>;
}): McpTransport {
  const { build, watch, log, renderTools } = options;
  const clientRequests = createClientRequests();
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
    let notify: ((event: ServerEvent) => void) | undefined;
    let unwatch: (() => void) | undefined;
    const handler = createMcpHandler(() => build(context), {
      legacy: 'reject',
      keepAliveMs: 0,
      maxSubscriptions: Number.POSITIVE_INFINITY,
      onerror,
      bus: {
        publish: () => undefined,
        subscribe(listener) {
          notify = listener;
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
        onChange: (list) => notify?.(eventOf[list]),
      });
    }
    if (context.signal.aborted) return abandon(close);
    context.signal.addEventListener('abort', () => void close(), { once: true });
    return toReply(handler.fetch(request, { parsedBody: message }), { resumable: isListening, close });
  }

  async function serve2025(context: RequestContext, request: Request, message?: unknown) {
    const server = build(context);
    const transport = new SessionlessTransport(clientRequests, context.scope.principal);
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
      });
    }
    await server.connect(transport);
    if (context.signal.aborted) return abandon(close);
    context.signal.addEventListener('abort', () => void close(), { once: true });
    const response = transport.handleRequest(request, message === undefined ? {} : { parsedBody: message });
    return toReply(response, { resumable: isListening, close });
  }

  return {
    async post(context) {
      const parsed = parseMessage(context);
      if ('refusal' in parsed) return parsed.refusal;
      const { message } = parsed;
      if (isJSONRPCResponse(message)) {
        return clientRequests.resolve(context.scope.principal, message) ? empty(202) : refuseResponse();
      }
      const plainId = renderTools && readPlainList('tools/list', context, message);
      if (renderTools && plainId !== undefined) {
        // What fails is explained by the library.
        const tools = await renderTools(context).catch(() => undefined);
        if (tools !== undefined) return replyWithTools(tools, plainId);
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

const TOOLS_BEGIN = Buffer.from('event: message\ndata: {"result":{"tools":');

/** One message, in the stream that the library would answer with. Bytes, because encoding a long text takes most of the time. */
function replyWithTools(tools: Buffer, id: RequestId): RawReply {
  const end = Buffer.from(`},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n\n`);
  return raw(Buffer.concat([TOOLS_BEGIN, tools, end]), SSE_HEADERS['content-type'], SSE_HEADERS);
}

/** The client disconnected before there was a reply. */
async function abandon(close: () => Promise<void>): Promise<RawReply> {
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
 * Passes only the protocol's headers to the library, never the key, and no AbortSignal: a Request holds it weakly, and
 * the library would miss the abort once it is garbage-collected.
 */
function toRequest(method: string, { headers }: RequestContext): Request {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (PROTOCOL_HEADERS.has(name) || name.startsWith('mcp-'))) passed.set(name, value);
  }
  return new Request('http://localhost/mcp', { method, headers: passed });
}

import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../base/log.ts';
import { levelOf } from './answer-errors.ts';
import { inRequest } from './current-request.ts';
import { ApiError } from './errors.ts';
import { openJsonSocket } from './json-socket.ts';
import { KEY_PROTOCOL } from './offered-key.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute } from './route.ts';
import type { SocketReply } from './socket-reply.ts';
import { translateError } from './translate-error.ts';

const PING_MS = 30_000;
/** How long a client may take to answer our close. */
const CLOSE_MS = 2000;
const NORMAL = 1000;
const GOING_AWAY = 1001;
const REFUSED = 1008;
const FAILED = 1011;
/** A second of sound takes a tenth of it. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

export type Sockets = {
  /** Accepts the WebSocket that a handler answered with. */
  accept(request: FastifyRequest, reply: FastifyReply, accepted: Accepted): void;
  /** Reads no more messages, so that what was begun is finished. */
  stopReading(): void;
  /** Ends what is still open. */
  terminate(): void;
};

export type Accepted = {
  answer: SocketReply;
  /** Set to how the socket ends when its caller loses the access. */
  watch: { onLost: ((reason: ApiError) => void) | undefined };
};

/** Whether Node hands the connection over instead of parsing a request on it. */
export function createUpgradeCheck(routes: readonly AnyRoute[]): (request: IncomingMessage) => boolean {
  const paths = new Set(routes.filter((route) => route.socket).map(({ path }) => path));
  return ({ headers, url = '' }) => isUpgrade(headers) && paths.has(url.split('?', 1)[0] ?? '');
}

export function isUpgrade(headers: IncomingMessage['headers']): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** WebSockets beside the requests: the same ids, checks, keys and refusals, because they pass through the same routes. */
export function acceptSockets(app: FastifyInstance, log: Logger): Sockets {
  const heads = new WeakMap<IncomingMessage, Buffer>();
  const open = new Map<WebSocket, { stopReading(): void }>();
  let acceptor: Promise<WebSocketServer> | undefined;
  let pings: NodeJS.Timeout | undefined;

  app.server.on('upgrade', (request: IncomingMessage, connection: Socket, head: Buffer) => {
    connection.on('error', () => connection.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(connection);
    // A refusal is an ordinary response, and the last one of its connection.
    response.shouldKeepAlive = false;
    response.on('finish', () => connection.end());
    heads.set(request, head);
    app.routing(request, response);
  });

  // Loaded with the first socket: most servers never have one.
  async function startAcceptor(): Promise<WebSocketServer> {
    const { WebSocketServer } = await import('ws');
    pings = setInterval(pingAll, PING_MS);
    pings.unref();
    return new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MESSAGE_BYTES_MAX,
      handleProtocols: (offered) => [...offered].find((one) => !one.startsWith(KEY_PROTOCOL)) ?? false,
    });
  }

  const silent = new WeakSet<WebSocket>();
  function pingAll(): void {
    for (const websocket of open.keys()) {
      if (silent.has(websocket)) websocket.terminate();
      else {
        silent.add(websocket);
        websocket.ping();
      }
    }
  }

  async function run(websocket: WebSocket, request: FastifyRequest, { answer, watch }: Accepted) {
    const messages = openJsonSocket(websocket);
    open.set(websocket, messages);
    websocket.on('pong', () => silent.delete(websocket));
    websocket.on('close', () => open.delete(websocket));
    // The close that follows an error has the reason for the client.
    websocket.on('error', (error) => log.debug({ err: error, requestId: request.id }, 'A socket failed.'));
    const endWith = (reason: ApiError) => {
      if (websocket.readyState !== websocket.OPEN) return;
      const { message, status: code } = reason;
      websocket.send(JSON.stringify({ type: 'error', error: { message, code } }));
      close(websocket, reason.status >= 500 ? FAILED : REFUSED);
    };
    watch.onLost = endWith;
    try {
      await answer.serve(messages);
      close(websocket, stopping ? GOING_AWAY : NORMAL);
    } catch (error) {
      const known = asApiError(error);
      if (known.status >= 500 && websocket.readyState === websocket.OPEN)
        log[levelOf(known)]({ err: known.cause ?? error, requestId: request.id }, 'A socket ended early.');
      endWith(known);
    }
  }

  let stopping = false;
  return {
    accept(request, reply, accepted) {
      reply.hijack();
      const { raw } = request;
      acceptor ??= startAcceptor();
      acceptor.then(
        (server) => {
          if (raw.socket.destroyed) return;
          const begin = (websocket: WebSocket) => void inRequest(request, () => run(websocket, request, accepted));
          server.once('headers', (headers) => headers.push(`x-request-id: ${request.id}`));
          server.handleUpgrade(raw, raw.socket, heads.get(raw) ?? Buffer.alloc(0), begin);
        },
        (error: unknown) => {
          log.error({ err: error, requestId: request.id }, 'A socket could not be accepted.');
          raw.socket.destroy();
        },
      );
    },
    stopReading() {
      stopping = true;
      for (const { stopReading } of open.values()) stopReading();
    },
    terminate() {
      clearInterval(pings);
      for (const websocket of open.keys()) websocket.terminate();
    },
  };
}

function close(websocket: WebSocket, code: number): void {
  websocket.close(code);
  setTimeout(() => websocket.terminate(), CLOSE_MS).unref();
}

/** Mistakes in a message are one sentence here: a socket has no status and no list of details. */
function asApiError(error: unknown): ApiError {
  const known = translateError(error);
  if (known instanceof ApiError) return known;
  const [first] = known.items;
  return requestErrors.message_invalid(first ? `${first.loc.slice(1).join('.')}: ${first.msg}` : 'not valid');
}

import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../base/log.ts';
import { createHeartbeats } from './heartbeats.ts';
import { setIdHeaders } from './id-headers.ts';
import { createStreamParking } from './park-streams.ts';
import { createParkedSockets } from './parked-sockets.ts';
import { outlineOf, type RequestOutline } from './request-outline.ts';
import { SSE_HEADERS, type SseReply, type StreamFollower, writeSse } from './sse.ts';
import { StreamConnection } from './stream-connection.ts';

const OK = { statusCode: 200 };

export type OpenStreams = {
  /** Answers with a stream. */
  open(reply: FastifyReply, answer: SseReply): StreamConnection;
  /** Called with the connection of a request that came before the response to the previous one was complete. */
  keepOrder(socket: Socket): void;
  /** How many connections Node's server does not know of. */
  parked(): number;
  /** Ends streams that clients resume elsewhere, so a stopping server need not wait for them. */
  endResumable(): void;
  /** Cuts off what is left. */
  stop(): void;
};

export type OpenStreamsOptions = {
  heartbeatMs: number | undefined;
  lookMs: number | undefined;
  keepAliveMs: number;
  log: Logger;
  /** Lets the HTTP server read requests from a connection. */
  serve(socket: Socket): void;
  /** A parked stream is complete, or its client gone. Node tells of the others. */
  closed(request: RequestOutline, reply: { statusCode: number }, isComplete: boolean): void;
};

/** The streams of a server: each begins as a response of Node's, and is parked while it has nothing to write. */
export function createOpenStreams({ heartbeatMs, lookMs, keepAliveMs, log, serve, closed }: OpenStreamsOptions) {
  const heartbeats = createHeartbeats<StreamConnection>(heartbeatMs);
  const sockets = createParkedSockets({ keepAliveMs, serve });
  const parking = createStreamParking((stream) => stream.park(sockets), lookMs);

  const follower: StreamFollower = {
    ended(stream) {
      heartbeats.remove(stream);
      parking.remove(stream);
    },
    failed: ({ requestId }, error) => log.error({ err: error, requestId }, 'A stream ended early.'),
  };

  const streams: OpenStreams = {
    open(reply, { events, resumable }) {
      const { request, raw } = reply;
      reply.hijack();
      setIdHeaders(reply);
      raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...SSE_HEADERS });
      raw.flushHeaders();
      // Nobody else reads the end of a request without a body, and a connection is parked only after it.
      if (request.method === 'GET') request.raw.resume();
      const stream = new StreamConnection(raw, new StreamedRequest(request, closed), resumable);
      heartbeats.add(stream);
      parking.add(stream);
      void writeSse(events, stream, follower);
      return stream;
    },
    keepOrder: sockets.keepOrder,
    parked: () => sockets.size,
    endResumable() {
      for (const stream of heartbeats.all()) if (stream.isResumable) stream.end();
    },
    stop() {
      heartbeats.stop();
      parking.stop();
      sockets.destroyAll();
    },
  };
  return streams;
}

/** The request of a stream; once that is parked, its outline. */
class StreamedRequest {
  #request: FastifyRequest | RequestOutline;
  readonly #closed: OpenStreamsOptions['closed'];

  constructor(request: FastifyRequest, closed: OpenStreamsOptions['closed']) {
    this.#request = request;
    this.#closed = closed;
  }

  get id(): string {
    return this.#request.id;
  }

  parked(): void {
    // Its body has been read. Left here, once: the outline must not have what the request still has.
    this.#request.leaveBodyTurn?.();
    const outline = outlineOf(this.#request);
    outline.watcher?.parked(outline);
    this.#request = outline;
  }

  closed(isComplete: boolean): void {
    this.#closed(this.#request, OK, isComplete);
  }
}

import type { FastifyReply } from 'fastify';
import type { Logger } from '../base/log.ts';
import { createHeartbeats } from './heartbeats.ts';
import { SSE_HEADERS, type SseReply, type StreamFollower, writeSse } from './sse.ts';
import { StreamConnection } from './stream-connection.ts';

export type OpenStreams = {
  /** Answers with a stream. */
  open(reply: FastifyReply, answer: SseReply): StreamConnection;
  /** Ends streams that clients resume elsewhere, so a stopping server need not wait for them. */
  endResumable(): void;
  stop(): void;
};

/** The streams of a server, with one timer for the heartbeats of all of them. */
export function createOpenStreams({ heartbeatMs, log }: { heartbeatMs: number | undefined; log: Logger }): OpenStreams {
  const heartbeats = createHeartbeats<StreamConnection>(heartbeatMs);

  const follower: StreamFollower = {
    ended: heartbeats.remove,
    failed: ({ requestId }, error) => log.error({ err: error, requestId }, 'A stream ended early.'),
  };

  return {
    open(reply, { events, resumable }) {
      const { raw, request } = reply;
      reply.hijack();
      raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...SSE_HEADERS });
      raw.flushHeaders();
      const stream = new StreamConnection(raw, request.id, resumable);
      heartbeats.add(stream);
      void writeSse(events, stream, follower);
      return stream;
    },
    endResumable() {
      for (const stream of heartbeats.all()) if (stream.isResumable) stream.end();
    },
    stop: heartbeats.stop,
  };
}

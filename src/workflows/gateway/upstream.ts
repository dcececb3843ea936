import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { TemporalTls } from '../engines/temporal/connect.ts';

export type UpstreamSettings = {
  /** host:port of Temporal's frontend. */
  address: string;
  tls?: TemporalTls | undefined;
};

const PING_MS = 30_000;
const PONG_MS = 15_000;
const WINDOW_BYTES = 1024 * 1024;

/** A pool of connections to Temporal; it opens another when all have reached the cluster's stream limit. */
export function createUpstream({ address, tls }: UpstreamSettings) {
  const sessions = new Set<ClientHttp2Session>();
  const open = new WeakMap<ClientHttp2Session, number>();
  const url = `${tls ? 'https' : 'http'}://${address}`;

  function dial(): ClientHttp2Session {
    const session = connect(url, { ...tls, settings: { enablePush: false, initialWindowSize: WINDOW_BYTES } });
    const forget = () => {
      sessions.delete(session);
      clearInterval(timer);
    };
    const timer = setInterval(() => check(session), PING_MS);
    timer.unref();
    sessions.add(session);
    session.on('connect', () => session.setLocalWindowSize(16 * WINDOW_BYTES));
    session.on('goaway', () => {
      sessions.delete(session);
      session.close();
    });
    session.on('close', forget);
    // Each call gets the error itself; without a listener it would end the process.
    session.on('error', forget);
    session.unref();
    return session;
  }

  /** Detects connections whose peer is gone without a FIN. */
  function check(session: ClientHttp2Session): void {
    if (session.closed || session.destroyed || session.connecting) return;
    const late = setTimeout(() => session.destroy(undefined, constants.NGHTTP2_CANCEL), PONG_MS);
    late.unref();
    session.ping(() => clearTimeout(late));
  }

  function withRoom(): ClientHttp2Session {
    for (const session of sessions) {
      if (session.closed || session.destroyed) continue;
      const max = session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
      if ((open.get(session) ?? 0) < max) return session;
    }
    return dial();
  }

  return {
    request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
      const session = withRoom();
      const stream = session.request({ ...headers, ':authority': address });
      open.set(session, (open.get(session) ?? 0) + 1);
      stream.once('close', () => open.set(session, (open.get(session) ?? 1) - 1));
      return stream;
    },
    close(): void {
      for (const session of sessions) session.destroy();
    },
  };
}

export type Upstream = ReturnType<typeof createUpstream>;

import type { Transport } from '@modelcontextprotocol/client';
import type { Outbound } from '../kit/outbound/index.ts';
import { loadClientLibrary } from './client-library.ts';
import { SessionGone, TokenRefused } from './explain-failure.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

/** How the messages of one session travel. */
export type Wire = {
  transport: Transport;
  /** Aborted when nothing more can come: a response was cut off, a stream or a program ended. */
  signal: AbortSignal;
  /** Starts the count of bytes anew. */
  renew(): void;
  /** Tells the other side that the session is over. */
  end(): Promise<void>;
};

type Remote = { url: string; headers: Headers; outbound: Outbound; bytesMax: number };

/** Streamable HTTP. */
export async function httpWire({ url, headers, outbound, bytesMax }: Remote): Promise<Wire> {
  const library = await loadClientLibrary();
  const { fetch, signal, renew } = createGuardedFetch(outbound, { bytesMax });
  const transport = new library.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch });
  const end = () => (transport.sessionId === undefined ? Promise.resolve() : transport.terminateSession());
  return { transport, signal, renew, end };
}

/** The older transport: answers to all requests come on one stream of events. */
export async function sseWire({ url, headers, outbound, bytesMax }: Remote): Promise<Wire> {
  const library = await loadClientLibrary();
  const over = new AbortController();
  const guarded = createGuardedFetch(outbound, { bytesMax, onStreamEnd: (error) => over.abort(error) });
  const { renew } = guarded;
  // The library names no status in its errors here, and tries the stream again whatever it was.
  const fetch = async (given: string | URL, init?: RequestInit) => {
    over.signal.throwIfAborted();
    const response = await guarded.fetch(given, init);
    if (response.status === 401) throw new TokenRefused('The server answered 401.');
    if (response.status === 404 && init?.method === 'POST') throw new SessionGone('The server answered 404.');
    return response;
  };
  const transport = new library.SSEClientTransport(new URL(url), { requestInit: { headers }, fetch });
  const signal = AbortSignal.any([over.signal, guarded.signal]);
  return { transport, signal, renew, end: async () => undefined };
}

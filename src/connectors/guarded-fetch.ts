import { type Outbound, type OutboundResponse, OutboundTooLarge } from '../kit/outbound/index.ts';
import { boundEvents, boundJson } from './bound-body.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export type GuardedFetch = {
  fetch: Fetch;
  /** Aborted when a response is cut off: the library would wait for the rest of a stream. */
  signal: AbortSignal;
  /** Starts the count of bytes anew. */
  renew(): void;
};

type Options = {
  /** Of each response, and of all of them until `renew`. */
  bytesMax: number;
  /** Called when the stream of server messages, which only the older transport has, is over. */
  onStreamEnd?: ((error: Error) => void) | undefined;
};

const WITHOUT_BODY = new Set([101, 204, 205, 304]);
/** A server may ask us things, and each answer is a request. One that asks more at once gets no answer. */
const REQUESTS_MAX = 16;

/**
 * The fetch of the protocol's library for one session: every request passes the address guard, and no response has more
 * than `bytesMax`, nor all of them together. Redirects are returned to the library, which follows none to another origin.
 */
export function createGuardedFetch(outbound: Outbound, { bytesMax, onStreamEnd }: Options): GuardedFetch {
  const cut = new AbortController();
  let running = 0;
  let left = bytesMax;

  async function* guard(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        left -= chunk.length;
        if (left < 0) throw new OutboundTooLarge(`The session has more than ${bytesMax} bytes.`);
        yield chunk;
      }
    } catch (error) {
      if (error instanceof OutboundTooLarge) cut.abort(error);
      throw error;
    }
  }

  async function* untilEnd(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } finally {
      // The library would open another stream, to which the answers of this one do not come.
      onStreamEnd?.(new Error('The stream of the server has ended.'));
    }
  }

  async function send(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const headers = Object.fromEntries(new Headers(init.headers));
    const isStream = (init.method ?? 'GET') === 'GET' && !('last-event-id' in headers);
    // No stream for server notifications, which would stay open beside every session; the library accepts a 405.
    if (isStream && !onStreamEnd) return new Response(null, { status: 405 });
    if (running >= REQUESTS_MAX) throw new OutboundTooLarge('The server asks too much at once.');
    running += 1;
    try {
      const response = await outbound.fetch(url, {
        method: init.method ?? 'GET',
        headers,
        body: typeof init.body === 'string' ? init.body : undefined,
        signal: init.signal ?? undefined,
        redirect: 'manual',
      });
      const { status } = response;
      const hasBody = !WITHOUT_BODY.has(status);
      if (!hasBody) response.discard();
      const guarded = hasBody ? guard(bound(response)) : undefined;
      const body = guarded ? ReadableStream.from(isStream && status === 200 ? untilEnd(guarded) : guarded) : null;
      return new Response(body, { status, headers: response.headers });
    } finally {
      running -= 1;
    }
  }

  return {
    fetch: send,
    signal: cut.signal,
    renew() {
      left = bytesMax;
    },
  };
}

function bound({ headers, body }: OutboundResponse): AsyncIterable<Uint8Array> {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '') ? boundEvents(body) : boundJson(body);
}

import type { Outbound } from '../kit/outbound/index.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * The fetch that the protocol's library is given: every request passes the address guard, and a redirect is handed back,
 * so that the library follows none that leaves the connector's origin.
 */
export function createGuardedFetch(outbound: Outbound): Fetch {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    // A stream for news that nobody asked for would stay open beside every session; the library takes this as "none".
    if (init.method === 'GET' && !('last-event-id' in headers)) return new Response(null, { status: 405 });
    const answer = await outbound.fetch(url, {
      method: init.method,
      headers,
      body: typeof init.body === 'string' ? init.body : undefined,
      signal: init.signal ?? undefined,
      redirect: 'manual',
    });
    const hasBody = !WITHOUT_BODY.has(answer.status);
    if (!hasBody) answer.discard();
    return new Response(hasBody ? ReadableStream.from(answer.body) : null, {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

import type { Outbound } from '../kit/outbound/index.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * The fetch of the protocol's library: every request passes the address guard. Redirects are returned to the library,
 * which follows none to another origin.
 */
export function createGuardedFetch(outbound: Outbound): Fetch {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    // No stream for server notifications, which would stay open beside every session; the library accepts a 405.
    if (init.method === 'GET' && !('last-event-id' in headers)) return new Response(null, { status: 405 });
    const response = await outbound.fetch(url, {
      method: init.method,
      headers,
      body: typeof init.body === 'string' ? init.body : undefined,
      signal: init.signal ?? undefined,
      redirect: 'manual',
    });
    const hasBody = !WITHOUT_BODY.has(response.status);
    if (!hasBody) response.discard();
    return new Response(hasBody ? ReadableStream.from(response.body) : null, {
      status: response.status,
      headers: response.headers,
    });
  };
}

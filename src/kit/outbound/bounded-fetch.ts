import type { Outbound } from './outbound.ts';

export type BoundedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const BODY_BYTES_MAX = 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** For documents and tokens of authorization servers: guarded, bounded, and a redirect of a token request goes nowhere. */
export function createBoundedFetch(outbound: Outbound): BoundedFetch {
  return async (url, init = {}) => {
    const method = init.method ?? 'GET';
    const { body: given } = init;
    const response = await outbound.fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: given instanceof URLSearchParams ? given.toString() : typeof given === 'string' ? given : undefined,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: method === 'GET' ? 'follow' : 'manual',
    });
    const chunks: Uint8Array[] = [];
    let left = BODY_BYTES_MAX;
    for await (const chunk of response.body) {
      left -= chunk.length;
      if (left < 0) throw new Error('The server sent too much.');
      chunks.push(chunk);
    }
    const hasBody = ![101, 204, 205, 304].includes(response.status);
    return new Response(hasBody ? Buffer.concat(chunks) : null, { status: response.status, headers: response.headers });
  };
}

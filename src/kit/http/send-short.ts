import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

type Headers = Record<string, number | string | string[] | undefined>;

/**
 * Sends JSON text that fits into one write. Fastify's own way looks for streams, serializers and trailers, which a text never
 * has, and sends ASCII as if it had to be encoded. `set`: the headers that the handler set.
 */
export function sendShort(
  response: ServerResponse,
  id: string,
  status: number,
  text: string,
  etag?: string,
  set?: Headers,
): void {
  const bytes = Buffer.byteLength(text);
  const headers = [
    'content-type',
    JSON_TYPE,
    'content-length',
    `${bytes}`,
    'x-request-id',
    id,
    'mistral-correlation-id',
    id,
  ];
  if (etag !== undefined) headers.push('etag', etag);
  if (set) addHeaders(headers, set);
  response.writeHead(status, headers);
  response.end(response.req.method === 'HEAD' ? '' : text, bytes === text.length ? 'latin1' : 'utf8');
}

/** One with several values is sent several times. */
function addHeaders(headers: string[], set: Headers): void {
  for (const [name, value] of Object.entries(set)) {
    if (Array.isArray(value)) for (const one of value) headers.push(name, one);
    else if (value !== undefined) headers.push(name, `${value}`);
  }
}

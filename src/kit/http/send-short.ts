import type { FastifyReply } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends JSON text that fits into one write. Fastify's own way looks for streams, serializers and trailers, which a text never
 * has, and sends ASCII as if it had to be encoded.
 */
export function sendShort(reply: FastifyReply, status: number, text: string, hasHeaders: boolean, etag?: string): void {
  const { raw, request } = reply;
  const { id } = request;
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
  if (hasHeaders) addHeaders(headers, reply.getHeaders());
  raw.writeHead(status, headers);
  raw.end(request.method === 'HEAD' ? '' : text, bytes === text.length ? 'latin1' : 'utf8');
}

/** Those that the handler set; one with several values is sent several times. */
function addHeaders(headers: string[], set: ReturnType<FastifyReply['getHeaders']>): void {
  for (const [name, value] of Object.entries(set)) {
    if (Array.isArray(value)) for (const one of value) headers.push(name, one);
    else if (value !== undefined) headers.push(name, `${value}`);
  }
}

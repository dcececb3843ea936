import { parseUrl } from './parse-url.ts';

export type OutboundRequest = {
  url: URL;
  method: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
};

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

// Headers that another origin may see. An allow-list, because keys also travel under other names, such as x-api-key.
const CROSS_ORIGIN_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-type',
  'range',
  'user-agent',
]);

export function isRedirect(status: number): boolean {
  return REDIRECT_STATUSES.has(status);
}

/** The request that a redirect asks for, by the rules of the fetch standard. */
export function followRedirect(request: OutboundRequest, status: number, location: string): OutboundRequest {
  const url = parseUrl(location, request.url);
  const becomesGet =
    (status === 303 && request.method !== 'GET' && request.method !== 'HEAD') ||
    ((status === 301 || status === 302) && request.method === 'POST');
  const isCrossOrigin = url.origin !== request.url.origin;
  const mayKeep = (name: string) =>
    !(isCrossOrigin && !CROSS_ORIGIN_HEADERS.has(name)) && !(becomesGet && name.startsWith('content-'));
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => mayKeep(name)));
  return becomesGet ? { url, method: 'GET', headers, body: undefined } : { ...request, url, headers };
}

import { Agent, errors, Pool } from 'undici';
import { createGuardedConnector, type Lookup, lookupAll } from './connect-guarded.ts';
import { OutboundError, OutboundFailed, requestTimedOut } from './errors.ts';
import { followRedirect, isRedirect, type OutboundRequest } from './follow-redirect.ts';
import { isPublicAddress } from './is-public-address.ts';
import { parseAllow, type Target } from './parse-allow.ts';
import { parseUrl } from './parse-url.ts';
import { raceSignal } from './race-signal.ts';
import { type OutboundResponse, readResponse } from './read-response.ts';

export type OutboundOptions = {
  /** The operator's exceptions: `host`, `host:port`, an IP address or a CIDR range. */
  allow: readonly string[];
  /** For the whole request: DNS, all redirects, and the body to its last byte. */
  timeoutMs?: number;
  redirectsMax?: number;
  bodyBytesMax?: number;
  lookup?: Lookup;
};

export type OutboundInit = {
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Not a stream, because a redirect may have to send it again. */
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
  /** `manual` returns a redirect to the caller. */
  redirect?: 'follow' | 'manual' | undefined;
};

export type Outbound = {
  fetch(url: string | URL, init?: OutboundInit): Promise<OutboundResponse>;
  /** Ends every connection and request at once. */
  close(): Promise<void>;
};

export function createOutbound({
  allow,
  timeoutMs = 30_000,
  redirectsMax = 5,
  bodyBytesMax = 20 * 1024 * 1024,
  lookup = lookupAll,
}: OutboundOptions): Outbound {
  const isAllowed = parseAllow(allow);
  const permits = (target: Target) => isPublicAddress(target.address) || isAllowed(target);

  const agent = new Agent({
    // One connector per origin, because an exception may hold for one port of a host only.
    factory: (origin, options) =>
      new Pool(origin, {
        ...options,
        connect: createGuardedConnector(new URL(origin), { permits, lookup, timeoutMs }),
      }),
    // The remote server must not choose how long an idle socket is kept.
    keepAliveMaxTimeout: 4_000,
    // The deadline of the whole request replaces both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function send({ url, method, headers, body }: OutboundRequest, signal: AbortSignal) {
    const translate = (error: unknown) => translateError(error, { host: url.host, timeoutMs, signal });
    try {
      const path = url.pathname + url.search;
      const options = { origin: url.origin, path, method, headers, body: body ?? null, signal };
      const answer = await raceSignal(signal, () => agent.request(options));
      // A body that is abandoned or destroyed by the deadline must not become an uncaught error.
      answer.body.on('error', () => {});
      return { answer, translate };
    } catch (error) {
      throw translate(error);
    }
  }

  async function follow(first: OutboundRequest, signal: AbortSignal, isManual: boolean) {
    let request = first;
    for (let redirects = 0; ; redirects += 1) {
      const { answer, translate } = await send(request, signal);
      const [location] = [answer.headers.location].flat();
      if (isManual || !isRedirect(answer.statusCode) || location === undefined) return { request, answer, translate };
      answer.body.destroy();
      if (redirects >= redirectsMax) {
        throw new OutboundFailed(`The address ${first.url.host} redirected more than ${redirectsMax} times.`);
      }
      request = followRedirect(request, answer.statusCode, location);
    }
  }

  return {
    async fetch(address, init = {}) {
      const first = startRequest(parseUrl(address), init);
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(requestTimedOut(first.url.host, timeoutMs)), timeoutMs).unref();
      const signal = init.signal ? AbortSignal.any([init.signal, deadline.signal]) : deadline.signal;
      try {
        const { request, answer, translate } = await follow(first, signal, init.redirect === 'manual');
        answer.body.once('close', () => clearTimeout(timer));
        return readResponse(answer, { method: request.method, host: request.url.host, bodyBytesMax, translate });
      } catch (error) {
        clearTimeout(timer);
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

function startRequest(url: URL, { method = 'GET', headers = {}, body }: OutboundInit): OutboundRequest {
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    url,
    method: method.toUpperCase(),
    headers: {
      // Bodies are passed on as received, so none may be compressed.
      'accept-encoding': 'identity',
      // Host follows the URL: a chosen one could reach another site on an allowed server.
      ...Object.fromEntries(lowerCased.filter(([name]) => name !== 'host')),
    },
    body,
  };
}

type Attempt = { host: string; timeoutMs: number; signal: AbortSignal };

/** Turns any failure of an attempt into an error that a caller can act on. */
function translateError(error: unknown, { host, timeoutMs, signal }: Attempt): unknown {
  if (error instanceof OutboundError) return error;
  // Both the deadline and the caller abort through the signal; its reason tells which.
  if (signal.aborted) return signal.reason;
  if (error instanceof errors.ConnectTimeoutError) return requestTimedOut(host, timeoutMs, error);
  return new OutboundFailed(`The address ${host} could not be reached.`, { cause: error });
}

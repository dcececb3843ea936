import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRoundUsed, noteArrival } from '../base/round-budget.ts';
import { sentKeyOf } from './credentials.ts';
import type { ApiError } from './errors.ts';
import type { Parsed } from './parse-request.ts';
import { requestIdOf } from './request-id.ts';
import type { RequestOutline } from './request-outline.ts';
import type { AnyRoute } from './route.ts';
import type { Authenticate, Scope } from './scope.ts';
import { sendShort } from './send-short.ts';
import { SHORT_CHARACTERS_MAX } from './write-large.ts';

const READS_MAX = 4000;
const URL_CHARACTERS_MAX = 256;
/** Of a client that has an answer already, of a request with a body, and of a browser, whose page counts as well as its key. */
const UNUSUAL = ['if-none-match', 'content-length', 'transfer-encoding', 'cookie', 'origin', 'sec-fetch-site'] as const;

type Found = { scope: Scope; text: string; etag: string | undefined };
type Read = { route: AnyRoute; given: Pick<Parsed, 'params' | 'query'> };

export type KnownReads = {
  /** The route can answer from memory, and this is what an address asks of it: that never changes. */
  add(url: string, route: AnyRoute, given: Parsed): void;
  /** Answers from memory. False: nothing has happened, and the request takes the usual way. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
};

/**
 * Answers reads before Fastify makes anything of them, which would cost more than all the rest. Every check of the usual way is
 * made here too, and every refusal is left to it, so that there is one place that refuses.
 */
export function createKnownReads(ports: {
  authenticate: Authenticate;
  /** Why no route may have the request. */
  refuse(request: IncomingMessage): ApiError | undefined;
  opened(request: RequestOutline): void;
  closed(request: RequestOutline, response: ServerResponse, isComplete: boolean): void;
}): KnownReads {
  const { authenticate, refuse, opened, closed } = ports;
  const reads = new Map<string, Read>();

  function admit(route: AnyRoute, request: IncomingMessage): Scope | undefined {
    const found = authenticate(sentKeyOf(request), route.surface ?? 'standard');
    if (!(found instanceof Promise))
      return found && found.refusal === undefined && found.permissions.has(route.permission) ? found : undefined;
    // The usual way waits for the same, and says what went wrong.
    found.catch(() => undefined);
    return undefined;
  }

  function find({ route, given }: Read, request: IncomingMessage): Found | undefined {
    try {
      const scope = admit(route, request);
      const reply = scope && route.known?.({ scope, params: given.params, query: given.query });
      if (typeof reply?.text !== 'string' || reply.text.length > SHORT_CHARACTERS_MAX) return undefined;
      return scope && { scope, text: reply.text, etag: reply.etag };
    } catch {
      // The usual way fails too, and its errors are answered.
      return undefined;
    }
  }

  return {
    add(url, route, { params, query }) {
      if (url.length > URL_CHARACTERS_MAX) return;
      // Addresses that are too varied gain nothing from it, so it simply starts over.
      if (reads.size >= READS_MAX) reads.clear();
      reads.set(url, { route, given: { params, query } });
    },
    answer(request, response) {
      const read = request.method === 'GET' ? reads.get(request.url ?? '') : undefined;
      // Node gives a response its connection when the one before it is complete.
      if (!read || response.socket === null || isUnusual(request) || isRoundUsed() || refuse(request)) return false;
      const startedAt = performance.now();
      const found = find(read, request);
      if (!found) return false;
      const { scope, text, etag } = found;
      noteArrival(scope.key_id);
      const { path, status = 200 } = read.route;
      const known = new KnownRead(request, path, scope, startedAt);
      opened(known);
      response.on('close', () => closed(known, response, response.writableFinished));
      sendShort(response, known.id, status, text, etag);
      return true;
    },
  };
}

function isUnusual({ headers }: IncomingMessage): boolean {
  for (const name of UNUSUAL) if (headers[name] !== undefined) return true;
  return false;
}

/** What observers see of such a read. Its address is that of the connection: proxies are not asked. */
class KnownRead implements RequestOutline {
  readonly id: string;
  readonly method = 'GET';
  readonly protocol = 'http';
  readonly failure = null;
  readonly watcher = null;
  readonly leaveBodyTurn = null;
  readonly routePath: string;
  readonly scope: Scope;
  readonly startedAt: number;
  readonly #raw: IncomingMessage;

  constructor(raw: IncomingMessage, routePath: string, scope: Scope, startedAt: number) {
    this.id = requestIdOf(raw);
    this.routePath = routePath;
    this.scope = scope;
    this.startedAt = startedAt;
    this.#raw = raw;
  }

  get url(): string {
    return this.#raw.url ?? '';
  }

  get headers(): IncomingMessage['headers'] {
    return this.#raw.headers;
  }

  get host(): string {
    return this.#raw.headers.host ?? '';
  }

  get ip(): string {
    return this.#raw.socket.remoteAddress ?? '';
  }
}

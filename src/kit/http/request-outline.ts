import type { FastifyRequest } from 'fastify';

/** What is needed of a request after its response has begun. Fastify's request has it all, and much more. */
export type RequestOutline = Pick<
  FastifyRequest,
  | 'id'
  | 'method'
  | 'url'
  | 'headers'
  | 'protocol'
  | 'host'
  | 'ip'
  | 'scope'
  | 'routePath'
  | 'failure'
  | 'startedAt'
  | 'watcher'
  | 'leaveBodyTurn'
>;

/** An outline that does not keep the request. */
export function outlineOf(request: RequestOutline): RequestOutline {
  const { id, method, url, headers, protocol, host, ip } = request;
  const { scope, routePath, failure, startedAt, watcher, leaveBodyTurn } = request;
  return {
    id,
    method,
    url,
    headers,
    protocol,
    host,
    ip,
    scope,
    routePath,
    failure,
    startedAt,
    watcher,
    leaveBodyTurn,
  };
}

import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { isMultipart } from './multipart.ts';
import { answerClientError } from './translate-error.ts';

/** How long a body may take: in all, or, where it may be huge, without a single byte. */
export type ArrivalLimits = { wholeMs: number; idleMs: number };

/**
 * Cuts off a client that dawdles over its body, with a 408. The timer that is returned may be cleared once the body is
 * here or the connection gone; until then it must stay, even if the request was answered.
 */
export function limitArrival(request: FastifyRequest, { wholeMs, idleMs }: ArrivalLimits): NodeJS.Timeout | undefined {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return undefined;
  if (isMultipart(headers['content-type']) && request.routeOptions.config.takesUpload)
    return watchIdle(request, idleMs);
  return setTimeout(cutOff, wholeMs, request).unref();
}

/**
 * Once the request was answered. Who is refused is often answered before the body is here; the timer stays until it is,
 * and no longer: it holds the whole request.
 */
export function endWithBody(timer: NodeJS.Timeout, raw: IncomingMessage): void {
  if (raw.complete || raw.socket.destroyed) clearTimeout(timer);
  else raw.once('close', () => clearTimeout(timer));
}

function cutOff({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return;
  answerClientError(
    Object.assign(new Error('A body took too long.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    raw.socket,
  );
  raw.socket.destroySoon();
}

function watchIdle(request: FastifyRequest, idleMs: number): NodeJS.Timeout {
  const { raw } = request;
  let seen = -1;
  const timer = setInterval(() => {
    if (raw.complete || raw.destroyed) return clearInterval(timer);
    const { bytesRead } = raw.socket;
    // A body that is here but not yet taken is not the client's delay.
    if (bytesRead === seen && raw.readableLength === 0) cutOff(request);
    seen = bytesRead;
  }, idleMs);
  return timer.unref();
}

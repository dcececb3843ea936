import type { FastifyRequest } from 'fastify';
import { isMultipart } from './multipart.ts';
import { answerClientError } from './translate-error.ts';

/** How long a body may take: in all, or, where it may be huge, without a single byte. */
export type ArrivalLimits = { wholeMs: number; idleMs: number };

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs while the body is on its way. */
    arrivalTimer: NodeJS.Timeout | null;
  }
}

/** Cuts off a client that dawdles over its body, with a 408. */
export function limitArrival(request: FastifyRequest, limits: ArrivalLimits): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  // A small body comes in one read with its headers, and is here in the next tick: no timer for it.
  process.nextTick(watch, request, limits);
}

function watch(request: FastifyRequest, { wholeMs, idleMs }: ArrivalLimits): void {
  const { raw, headers } = request;
  if (raw.complete || raw.destroyed) return;
  const isUpload = isMultipart(headers['content-type']) && request.routeOptions.config.takesUpload;
  request.arrivalTimer = isUpload ? watchIdle(request, idleMs) : setTimeout(cutOff, wholeMs, request).unref();
}

/**
 * Once the request was answered. Who is refused is often answered before the body is here; the timer stays until it is,
 * and no longer: it holds the whole request.
 */
export function endArrival({ raw, arrivalTimer }: FastifyRequest): void {
  if (!arrivalTimer) return;
  if (raw.complete || raw.socket.destroyed) clearTimeout(arrivalTimer);
  else raw.once('close', () => clearTimeout(arrivalTimer));
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

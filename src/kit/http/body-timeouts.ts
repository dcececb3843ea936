import type { FastifyRequest } from 'fastify';
import { isMultipart } from './multipart.ts';
import { answerClientError } from './translate-error.ts';

/** How long a body may take: `wholeMs` in all, or `idleMs` without a byte for large uploads. */
export type BodyTimeouts = { wholeMs: number; idleMs: number };

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs while the body arrives. */
    bodyTimer: NodeJS.Timeout | null;
  }
}

/** Responds 408 to a client that sends its body too slowly. */
export function startBodyTimeout(request: FastifyRequest, limits: BodyTimeouts): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  // A small body arrives in one read with its headers: no timer needed.
  process.nextTick(watch, request, limits);
}

function watch(request: FastifyRequest, { wholeMs, idleMs }: BodyTimeouts): void {
  const { raw, headers } = request;
  if (raw.complete || raw.destroyed) return;
  const isUpload = isMultipart(headers['content-type']) && request.routeOptions.config.takesUpload;
  request.bodyTimer = isUpload ? watchIdle(request, idleMs) : setTimeout(cutOff, wholeMs, request).unref();
}

/**
 * Called after the response. A refusal is often sent before the body arrived; the timer then stays until it has, and no
 * longer, because it keeps the request in memory.
 */
export function endBodyTimeout({ raw, bodyTimer }: FastifyRequest): void {
  if (!bodyTimer) return;
  if (raw.complete || raw.socket.destroyed) clearTimeout(bodyTimer);
  else raw.once('close', () => clearTimeout(bodyTimer));
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
    // A body that arrived but was not read yet is not the client's delay.
    if (bytesRead === seen && raw.readableLength === 0) cutOff(request);
    seen = bytesRead;
  }, idleMs);
  return timer.unref();
}

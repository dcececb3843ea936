import type { FastifyRequest } from 'fastify';
import { answerClientError } from './translate-error.ts';

/** How long a body may take: in all, or, where it may be huge, without a single byte. */
export type ArrivalLimits = { wholeMs: number; idleMs: number };

/** Cuts off a client that dawdles over its body, with a 408. */
export function limitArrival(request: FastifyRequest, limits: ArrivalLimits): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  // Nearly every body comes along with its head, and has been read when this turn is over: then there is nothing to watch.
  process.nextTick(watchArrival, request, limits);
}

function watchArrival(request: FastifyRequest, { wholeMs, idleMs }: ArrivalLimits): void {
  const { raw } = request;
  if (raw.complete || raw.destroyed) return;
  const cutOff = () => {
    answerClientError(
      Object.assign(new Error('A body took too long.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      raw.socket,
    );
    raw.socket.destroySoon();
  };
  const timer = request.routeOptions.config.takesUpload
    ? watchIdle(request, idleMs, cutOff)
    : setTimeout(cutOff, wholeMs);
  const stop = () => clearTimeout(timer);
  raw.once('end', stop);
  raw.once('close', stop);
}

function watchIdle({ raw }: FastifyRequest, idleMs: number, cutOff: () => void): NodeJS.Timeout {
  let seen = -1;
  return setInterval(() => {
    const { bytesRead } = raw.socket;
    // A body that is here but not yet taken is not the client's delay.
    if (bytesRead === seen && raw.readableLength === 0) cutOff();
    seen = bytesRead;
  }, idleMs);
}

import type { IncomingMessage } from 'node:http';
import { ApiError } from './errors.ts';

type Done = (error: Error | null, body?: Buffer) => void;

const EMPTY = Buffer.alloc(0);

/**
 * All bytes of a body, within a limit. A body nearly always comes along with its head and is here when this turn is over:
 * then it is taken in one piece, and no listener is added and removed for it.
 */
export function readWhole(raw: IncomingMessage, bytesMax: number, done: Done): void {
  if (Number(raw.headers['content-length']) > bytesMax) done(tooLarge());
  else process.nextTick(takeOrGather, raw, bytesMax, done);
}

function takeOrGather(raw: IncomingMessage, bytesMax: number, done: Done): void {
  if (raw.complete && raw.readableLength <= bytesMax) done(null, (raw.read() as Buffer | null) ?? EMPTY);
  else gather(raw, bytesMax, done);
}

function gather(raw: IncomingMessage, bytesMax: number, done: Done): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  const stop = () => raw.off('data', take).off('end', end).off('error', fail);
  function take(part: Buffer): void {
    bytes += part.length;
    parts.push(part);
    if (bytes <= bytesMax) return;
    stop();
    done(tooLarge());
  }
  function end(): void {
    stop();
    done(null, Buffer.concat(parts, bytes));
  }
  function fail(): void {
    stop();
    done(new ApiError(400, 'The connection ended before the body did.'));
  }
  raw.on('data', take).on('end', end).on('error', fail);
}

function tooLarge(): ApiError {
  return new ApiError(413, 'The request body is too large for this endpoint.');
}

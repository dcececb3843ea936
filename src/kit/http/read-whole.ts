import type { IncomingMessage } from 'node:http';
import type { ApiError } from './errors.ts';
import { requestErrors } from './request-errors.ts';

type Done = (error: Error | null, body?: Buffer) => void;

/**
 * Reads a body within a limit. With a `Content-Length` it is complete with its last byte, which saves each request the wait
 * for the end of its stream.
 */
export function readWhole(raw: IncomingMessage, bytesMax: number, done: Done): void {
  const announced = Number(raw.headers['content-length']);
  if (announced > bytesMax) done(tooLarge());
  else gather(raw, announced, bytesMax, done);
}

/** Up to this size the announced length is allocated at once; larger bodies are collected in chunks. */
const IN_PLACE_BYTES_MAX = 32 * 1024 * 1024;

function gather(raw: IncomingMessage, announced: number, bytesMax: number, done: Done): void {
  let parts: Buffer[] = [];
  let whole: Buffer | undefined;
  let bytes = 0;
  let isDone = false;
  function finish(error: Error | null): void {
    if (isDone) return;
    isDone = true;
    const [received, inPlace] = [parts, whole];
    // The listeners live as long as the request; drop what they reference.
    [parts, whole] = [[], undefined];
    if (error) done(error);
    else done(null, inPlace ?? (received.length === 1 ? received[0] : Buffer.concat(received, bytes)));
  }
  raw.on('data', (part: Buffer) => {
    if (isDone) return;
    if (bytes === 0 && part.length < announced && announced <= IN_PLACE_BYTES_MAX)
      whole = Buffer.allocUnsafe(announced);
    if (whole) part.copy(whole, bytes);
    else parts.push(part);
    bytes += part.length;
    if (bytes > bytesMax) finish(tooLarge());
    else if (bytes === announced) finish(null);
  });
  raw.on('error', () => finish(requestErrors.upload_interrupted('The connection ended before the body did.')));
  if (!(announced > 0)) raw.on('end', () => finish(null));
}

/** Frees the memory of a body that nobody reads any more: the collector may take long to come by. */
export function giveBack(body: Buffer): void {
  const { buffer, length } = body;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

function tooLarge(): ApiError {
  return requestErrors.body_too_large('The request body is too large for this endpoint.');
}

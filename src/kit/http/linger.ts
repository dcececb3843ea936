import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

const LINGER_MS = 1000;
const LINGER_BYTES_MAX = 16 * 1024 * 1024;

/**
 * A response to a request whose body is not read. The connection is closed only when the client has stopped sending, within
 * bounds: an early close resets it, and most clients then report a broken pipe instead of the response.
 */
export function lingering(text: string, request: IncomingMessage): Readable {
  return Readable.from(
    (async function* () {
      yield text;
      await discardBody(request);
    })(),
  );
}

function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) return resolve();
    let bytes = 0;
    const timer = setTimeout(stop, LINGER_MS);
    function stop(): void {
      clearTimeout(timer);
      request.off('data', count).off('end', stop).off('close', stop).off('error', stop);
      resolve();
    }
    function count(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > LINGER_BYTES_MAX) stop();
    }
    request.on('data', count).on('end', stop).on('close', stop).on('error', stop).resume();
  });
}

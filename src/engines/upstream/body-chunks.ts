import type { Exchange } from './exchange.ts';

/** Bytes that may wait for the reader before the server is asked to pause. */
const WAITING_BYTES_MAX = 256 * 1024;
const WAITING_CHUNKS_MAX = 1024;

/** The bytes of a response as they arrive. A slow reader makes the server wait. */
export async function* chunksOf(response: Exchange): AsyncGenerator<Buffer, void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let outcome: { error: Error } | 'open' | 'ended' = 'open';
  let wake: (() => void) | undefined;
  response.read({
    data(chunk) {
      waiting.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > WAITING_BYTES_MAX || waiting.length > WAITING_CHUNKS_MAX) response.pause();
      wake?.();
    },
    end() {
      outcome = 'ended';
      wake?.();
    },
    fail(error) {
      outcome = { error };
      wake?.();
    },
  });
  for (;;) {
    while (waiting.length === 0 && outcome === 'open') {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const taken = waiting;
    [waiting, bytes] = [[], 0];
    response.resume();
    yield* taken;
    const now = outcome as { error: Error } | 'open' | 'ended';
    if (typeof now === 'object') throw now.error;
    if (now === 'ended' && waiting.length === 0) return;
  }
}

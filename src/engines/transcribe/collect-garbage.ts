/** A collection costs as much as two words. */
const GARBAGE_BYTES_MAX = 96 * 1024 * 1024;
let restingBytes = 0;

/** After a request: tensors are memory outside of the heap, whose growth does not make the collector run. */
export function collectGarbage(): void {
  if (process.memoryUsage.rss() - restingBytes < GARBAGE_BYTES_MAX) return;
  globalThis.gc?.();
  restingBytes = process.memoryUsage.rss();
}

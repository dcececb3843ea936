export type LimitedSignal = {
  readonly signal: AbortSignal;
  /** Whether the time is over. */
  readonly isLate: boolean;
  /** Must be called when nobody waits for it any more. */
  close(): void;
};

/**
 * A signal that aborts with the given one, or after some time. `AbortSignal.any` and `AbortSignal.timeout` do the same without a
 * `close`, by weak references that every collection has to look at.
 */
export function limitSignal(given: AbortSignal, ms: number): LimitedSignal {
  const controller = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, ms);
  timer.unref();
  const onAbort = () => controller.abort(given.reason);
  given.addEventListener('abort', onAbort, { once: true });
  if (given.aborted) onAbort();
  return {
    signal: controller.signal,
    get isLate() {
      return isLate;
    },
    close() {
      clearTimeout(timer);
      given.removeEventListener('abort', onAbort);
    },
  };
}

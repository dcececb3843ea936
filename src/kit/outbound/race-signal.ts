/**
 * Rejects with the signal's reason the moment it aborts. undici notices an abort only once its socket is connected,
 * so without this a slow DNS server or a silent host would outlast both the caller and the deadline.
 */
export async function raceSignal<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

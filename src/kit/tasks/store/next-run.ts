/** The first turn after now in the rhythm of the last one; turns that were missed are not made up for. */
export function nextRunMs(runAtMs: number, repeatMs: number, nowMs: number): number {
  const missed = Math.max(0, Math.floor((nowMs - runAtMs) / repeatMs));
  return runAtMs + (missed + 1) * repeatMs;
}

/** The first run after now at the same interval; missed runs are skipped. */
export function nextRunMs(runAtMs: number, repeatMs: number, nowMs: number): number {
  const missed = Math.max(0, Math.floor((nowMs - runAtMs) / repeatMs));
  return runAtMs + (missed + 1) * repeatMs;
}

/** Work that would begin later in a round of the event loop waits for a turn; earlier when requests with several keys come. */
const ROUND_MS = 10;
const SHARED_ROUND_MS = 4;
const SHARED_FOR_MS = 1000;

let startedAt: number | undefined;
let lastKey = '';
let sharedAt = Number.NEGATIVE_INFINITY;

/** Notes a request: as long as all of them have one key, nobody has to be spared. */
export function noteArrival(key: string): void {
  if (key === lastKey) return;
  lastKey = key;
  sharedAt = performance.now();
}

/** Whether requests with several keys have come lately. */
export function isShared(now = performance.now()): boolean {
  return now - sharedAt < SHARED_FOR_MS;
}

/** Whether the current round has been used for long enough. The first call in a round starts its time. */
export function isRoundUsed(): boolean {
  const now = performance.now();
  if (startedAt !== undefined) return now - startedAt > (isShared(now) ? SHARED_ROUND_MS : ROUND_MS);
  startedAt = now;
  setImmediate(reset);
  return false;
}

function reset(): void {
  startedAt = undefined;
}

/** Milliseconds since the epoch. Services take a clock so that tests can move time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** A system clock set back by more than this is followed; otherwise new timestamps would stay in the future. */
const AHEAD_MICROS_MAX = 1_000_000;
let lastMicros = 0;

/** ISO 8601 in UTC with microseconds. Strictly increasing within a process, so creation order survives a sort by text. */
export function isoMicros(clock: Clock = systemClock): string {
  let micros = clock() * 1000;
  if (clock === systemClock) {
    const ahead = lastMicros - micros;
    if (ahead >= 0 && ahead < AHEAD_MICROS_MAX) micros = lastMicros + 1;
    lastMicros = micros;
  }
  return microsToIso(micros);
}

let lastMillis = Number.NaN;
let lastPrefix = '';

function microsToIso(micros: number): string {
  const millis = Math.floor(micros / 1000);
  // Timestamps made within one millisecond share all but their last digits.
  if (millis !== lastMillis) {
    lastPrefix = new Date(millis).toISOString().slice(0, -1);
    lastMillis = millis;
  }
  return `${lastPrefix}${String(micros - millis * 1000).padStart(3, '0')}Z`;
}

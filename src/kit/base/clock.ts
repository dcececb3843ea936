/** Milliseconds since the epoch. Services take a clock so that tests can move time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

let lastMicros = 0;

/** ISO 8601 in UTC with microseconds. Strictly increasing within a process, so creation order survives a sort by text. */
export function isoMicros(clock: Clock = systemClock): string {
  const micros = Math.max(clock() * 1000, clock === systemClock ? lastMicros + 1 : 0);
  if (clock === systemClock) lastMicros = micros;
  return microsToIso(micros);
}

let lastMillis = Number.NaN;
let lastPrefix = '';

function microsToIso(micros: number): string {
  const millis = Math.floor(micros / 1000);
  // Many timestamps are made within one millisecond, and all but the last digits of them are the same.
  if (millis !== lastMillis) {
    lastPrefix = new Date(millis).toISOString().slice(0, -1);
    lastMillis = millis;
  }
  return `${lastPrefix}${String(micros - millis * 1000).padStart(3, '0')}Z`;
}

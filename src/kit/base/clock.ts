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

function microsToIso(micros: number): string {
  const millis = Math.floor(micros / 1000);
  const rest = String(micros - millis * 1000).padStart(3, '0');
  return new Date(millis).toISOString().replace('Z', `${rest}Z`);
}

/** A period with one UTC offset; `from` is inclusive, `until` exclusive. */
export type Segment = { from: number; until: number; offsetMs: number; previousOffsetMs: number };

const DAY_MS = 86_400_000;
const SECOND_MS = 1000;
const ZONES_KEPT_MAX = 100;
const NAMES_KEPT_MAX = 2000;

type Zone = { format: Intl.DateTimeFormat; transitions: Map<number, number[]>; last: Segment | undefined };

const zones = new Map<string, Zone>();
/** Known names; to ask takes 30 µs. */
const names = new Set<string>();

export function isTimeZone(name: string): boolean {
  if (names.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    if (names.size < NAMES_KEPT_MAX) names.add(name);
    return true;
  } catch {
    return false;
  }
}

/** The segment that contains an instant. Searches ask for the same one again and again, so the last one is kept. */
export function segmentAt(zone: string, instant: number): Segment {
  const known = zoneOf(zone);
  const { last } = known;
  if (last && last.from <= instant && instant < last.until) return last;
  const year = new Date(instant).getUTCFullYear();
  const transitions = [year - 1, year, year + 1].flatMap((around) => transitionsOf(zone, around));
  const until = transitions.find((transition) => transition > instant) ?? startOfYear(year + 2);
  const from = transitions.findLast((transition) => transition <= instant) ?? startOfYear(year - 1);
  const previousOffsetMs = offsetAt(zone, from - SECOND_MS);
  known.last = { from, until, offsetMs: offsetAt(zone, instant), previousOffsetMs };
  return known.last;
}

export function offsetAt(zone: string, instant: number): number {
  if (zone === 'UTC') return 0;
  const parts: Record<string, number> = {};
  for (const { type, value } of zoneOf(zone).format.formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const shown = Date.UTC(year, month - 1, day, hour, minute, second);
  return shown - Math.floor(instant / SECOND_MS) * SECOND_MS;
}

/** The offset changes of a year. Compares whole days: two changes within a day cancel out. */
function transitionsOf(zone: string, year: number): number[] {
  if (zone === 'UTC') return [];
  const { transitions } = zoneOf(zone);
  const known = transitions.get(year);
  if (known) return known;
  const found: number[] = [];
  const end = startOfYear(year + 1);
  for (let at = startOfYear(year), offset = offsetAt(zone, at); at < end; at += DAY_MS) {
    const next = offsetAt(zone, at + DAY_MS);
    if (next !== offset) found.push(bisect(zone, at, at + DAY_MS, next));
    offset = next;
  }
  transitions.set(year, found);
  return found;
}

/** The first second that has the new offset. */
function bisect(zone: string, before: number, after: number, offset: number): number {
  let [low, high] = [before, after];
  while (high - low > SECOND_MS) {
    const middle = Math.floor((low + high) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(zone, middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

function startOfYear(year: number): number {
  return Date.UTC(year, 0, 1);
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const made = { format, transitions: new Map(), last: undefined };
  zones.set(name, made);
  if (zones.size > ZONES_KEPT_MAX) zones.delete(zones.keys().next().value ?? '');
  return made;
}

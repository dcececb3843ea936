const PATTERN =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const UNITS_MS = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1000];

/** Parses an ISO 8601 duration to milliseconds. Months and years have no fixed length and are rejected. */
export function parseDuration(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (!match || /[PT]$/.test(text)) return undefined;
  return Math.round(UNITS_MS.reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit, 0));
}

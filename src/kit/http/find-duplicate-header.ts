/** Headers of which two parsers may disagree on which one counts. Lists such as `accept` may be repeated. */
const SINGLE = [
  'host',
  'origin',
  'x-api-key',
  'content-type',
  'x-csrf-token',
  'authorization',
  'content-length',
  'idempotency-key',
  'content-encoding',
  'transfer-encoding',
  'x-tramontane-workspace',
];
const BITS = new Map(SINGLE.map((name, index) => [name, 1 << index]));
const LENGTHS = new Set(SINGLE.map((name) => name.length));

/** The first header that may be sent once and was sent twice. Node itself keeps one of them, silently. */
export function findDuplicateHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    // Most names differ in length from all of these, which is cheaper to see than their text.
    if (!LENGTHS.has(name.length)) continue;
    const lower = name.toLowerCase();
    const bit = BITS.get(lower) ?? 0;
    if ((seen & bit) !== 0) return lower;
    seen |= bit;
  }
  return undefined;
}

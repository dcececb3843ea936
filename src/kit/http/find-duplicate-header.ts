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
// The usual spellings too, so that most names need no conversion.
const BITS = new Map(
  SINGLE.flatMap((name, index) =>
    [name, name.replaceAll(/\b[a-z]/g, (first) => first.toUpperCase())].map(
      (spelling) => [spelling, 1 << index] as const,
    ),
  ),
);
/** By length: the code of the first character. Most other names differ in one of the two. */
const FIRST: (number[] | undefined)[] = [];
for (const name of SINGLE) FIRST[name.length] = [...(FIRST[name.length] ?? []), name.charCodeAt(0)];
const LOWER_CASE = 0x20;

/** The first header that may be sent once and was sent twice. Node itself keeps one of them, silently. */
export function findDuplicateHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!FIRST[name.length]?.includes(name.charCodeAt(0) | LOWER_CASE)) continue;
    const bit = BITS.get(name) ?? BITS.get(name.toLowerCase()) ?? 0;
    if ((seen & bit) !== 0) return name.toLowerCase();
    seen |= bit;
  }
  return undefined;
}

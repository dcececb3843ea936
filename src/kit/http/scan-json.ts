/** Structural limits of a JSON document. */
export type JsonLimits = {
  depthMax: number;
  /** All keys of all objects. */
  keysMax: number;
  /** The keys of one object: a huge object costs far more than many small ones. */
  objectKeysMax: number;
  /** Elements and members of all lists and objects. */
  valuesMax: number;
};

export type JsonExcess = { limit: keyof JsonLimits; position: number };

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Up to this length scanning byte by byte is faster than the runtime's search. */
const SHORT_STRING_BYTES = 48;

/** 1 for each byte with a meaning outside of strings. All are ASCII, so none is part of a longer character. */
const marks = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, COLON, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) marks[byte] = 1;

/** Key counts of the open objects by depth; shared by all scans, because a scan is synchronous. */
let keysAt = new Uint32Array(65);

/**
 * Counts keys, values and depth in one pass over the bytes, before anything is built. The text may be invalid JSON: the
 * counts are right up to the first mistake, and the parser stops there.
 */
export function scanJson(bytes: Uint8Array, limits: JsonLimits): { keys: number } | JsonExcess {
  const { depthMax, keysMax, objectKeysMax, valuesMax } = limits;
  if (keysAt.length <= depthMax) keysAt = new Uint32Array(depthMax + 1);
  // A colon outside of any object is a mistake, and must not count for the next text.
  keysAt[0] = 0;
  const { length } = bytes;
  let depth = 0;
  let keys = 0;
  let values = 1;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number;
    if (marks[byte] === 0) continue;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COLON) {
      if (++keys > keysMax) return { limit: 'keysMax', position: at };
      const ofObject = (keysAt[depth] ?? 0) + 1;
      if (ofObject > objectKeysMax) return { limit: 'objectKeysMax', position: at };
      keysAt[depth] = ofObject;
    } else if (byte === COMMA) {
      if (++values > valuesMax) return { limit: 'valuesMax', position: at };
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > depthMax) return { limit: 'depthMax', position: at };
      keysAt[depth] = 0;
    } else if (depth > 0) depth--;
  }
  return { keys };
}

/** The end of the string that starts here; the end of the document if it is not closed. */
export function endOfString(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let at = start + 1;
  for (;;) {
    const shortEnd = Math.min(at + SHORT_STRING_BYTES, length);
    for (; at < shortEnd; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at++;
    }
    if (at >= length) return length;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return length;
    let backslashes = 0;
    while (quote - backslashes > at && bytes[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

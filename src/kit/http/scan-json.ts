/** How a JSON document may be built, whatever it says. */
export type JsonLimits = {
  depthMax: number;
  /** All keys of all objects. */
  keysMax: number;
  /** The keys of one object: a huge one costs far more than its keys in many small ones. */
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

/** Reading byte by byte is quickest for short strings; past this the search of the runtime is. */
const SHORT_STRING_BYTES = 48;

/** A 1 for each byte that means something outside of a string. All are ASCII, so no part of a longer character is one. */
const marks = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, COLON, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) marks[byte] = 1;

/** The keys of each object that is open, by depth: one for all scans, for no scan waits in the middle. */
let keysAt = new Uint32Array(65);

/**
 * Counts what a document is made of, in one pass over its bytes and before anything is built from them. The text may
 * be no JSON at all: up to the first mistake the count is that of the parser, and beyond it the parser does not go.
 */
export function scanJson(bytes: Uint8Array, limits: JsonLimits): { keys: number } | JsonExcess {
  const { depthMax, keysMax, objectKeysMax, valuesMax } = limits;
  if (keysAt.length <= depthMax) keysAt = new Uint32Array(depthMax + 1);
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

/** Where the string that begins here ends; the end of the document if nowhere. */
function endOfString(bytes: Uint8Array, start: number): number {
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

import { endOfString, type JsonExcess, type JsonLimits } from './scan-json.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

const marks = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, COLON, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) marks[byte] = 1;

/**
 * A list or an object that is too large to be parsed in one go. Its members from one cut to the next are parsed together;
 * `inner` are the members that are such containers themselves, each alone between two cuts.
 */
export type LargeContainer = { start: number; end: number; cuts: number[]; inner: LargeContainer[] };

type Open = { start: number; keys: number; lastComma: number; cuts: number[]; inner: LargeContainer[] };

/** `isWhole`: every bracket is closed, and only white space is outside of the outermost. */
export type CutJson = { keys: number; isWhole: boolean; root: LargeContainer | undefined };

/**
 * Counts what the limits are about, and finds where a large document can be cut into pieces of about `pieceBytes`. Between
 * two results of the generator lie so many bytes: the caller lets others work there.
 */
export function* cutJson(
  bytes: Uint8Array,
  { depthMax, keysMax, objectKeysMax, valuesMax }: JsonLimits,
  pieceBytes: number,
): Generator<void, CutJson | JsonExcess> {
  const { length } = bytes;
  const open: Open[] = [];
  let current: Open | undefined;
  let root: LargeContainer | undefined;
  let isWhole = true;
  let keys = 0;
  let values = 1;
  let pause = pieceBytes;
  for (let at = 0; at < length; at++) {
    if (at > pause) {
      pause = at + pieceBytes;
      yield;
    }
    const byte = bytes[at] as number;
    if (marks[byte] === 0) {
      if (byte > 32 && current === undefined) isWhole = false;
      continue;
    }
    if (!current && byte !== OPEN_BRACE && byte !== OPEN_BRACKET) isWhole = false;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COLON) {
      if (++keys > keysMax) return { limit: 'keysMax', position: at };
      if (current && ++current.keys > objectKeysMax) return { limit: 'objectKeysMax', position: at };
    } else if (byte === COMMA) {
      if (++values > valuesMax) return { limit: 'valuesMax', position: at };
      if (!current) continue;
      const last = current.inner.at(-1);
      // What follows a large member starts a piece, and so does what follows a full one.
      if ((last && last.end > current.lastComma) || at - lastCut(current) >= pieceBytes) current.cuts.push(at);
      current.lastComma = at;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (open.length >= depthMax) return { limit: 'depthMax', position: at };
      if (!current && root) isWhole = false;
      current = { start: at, keys: 0, lastComma: at, cuts: [], inner: [] };
      open.push(current);
    } else {
      const closed = open.pop();
      if (!closed) continue;
      const { start, cuts, inner } = closed;
      current = open.at(-1);
      if (!current) {
        root = { start, end: at, cuts, inner };
      } else if (at - start > pieceBytes) {
        if (current.lastComma > lastCut(current)) current.cuts.push(current.lastComma);
        current.inner.push({ start, end: at, cuts, inner });
      }
    }
  }
  return { keys, isWhole: isWhole && open.length === 0, root };
}

const lastCut = ({ cuts, start }: Open): number => cuts.at(-1) ?? start;

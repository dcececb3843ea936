/** Code points as sorted, disjoint, inclusive ranges: low, high, low, high … */
export type CharacterSet = readonly number[];

const LAST = 0x10ffff;

export const NONE: CharacterSet = [];

export function union(a: CharacterSet, b: CharacterSet): CharacterSet {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const ranges: [number, number][] = [];
  for (const set of [a, b]) for (let i = 0; i < set.length; i += 2) ranges.push([set[i] ?? 0, set[i + 1] ?? 0]);
  return fromRanges(ranges);
}

export function fromRanges(ranges: [number, number][]): CharacterSet {
  const result: number[] = [];
  for (const [low, high] of ranges.toSorted(([x], [y]) => x - y)) {
    const last = result.at(-1);
    if (last !== undefined && low <= last + 1) result[result.length - 1] = Math.max(last, high);
    else result.push(low, high);
  }
  return result;
}

export function complement(set: CharacterSet): CharacterSet {
  const result: number[] = [];
  let next = 0;
  for (let i = 0; i < set.length; i += 2) {
    const [low = 0, high = 0] = [set[i], set[i + 1]];
    if (low > next) result.push(next, low - 1);
    next = high + 1;
  }
  if (next <= LAST) result.push(next, LAST);
  return result;
}

export function overlaps(a: CharacterSet, b: CharacterSet): boolean {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if ((a[i + 1] ?? 0) < (b[j] ?? 0)) i += 2;
    else if ((b[j + 1] ?? 0) < (a[i] ?? 0)) j += 2;
    else return true;
  }
  return false;
}

/** GBNF for one character of the set, the shorter of both ways. */
export function printSet(set: CharacterSet): string {
  const others = complement(set);
  return others.length < set.length ? `[^${printRanges(others)}]` : `[${printRanges(set)}]`;
}

function printRanges(set: CharacterSet): string {
  let text = '';
  for (let i = 0; i < set.length; i += 2) {
    const [low = 0, high = 0] = [set[i], set[i + 1]];
    text += low === high ? printCode(low) : `${printCode(low)}-${printCode(high)}`;
  }
  return text;
}

export function printCode(code: number): string {
  const character = String.fromCodePoint(code);
  if (/[a-zA-Z0-9_ .,:;/(){}<>]/.test(character)) return character;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}

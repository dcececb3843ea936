import type { Budget } from '../budget.ts';

/** Steps for asking the runtime about a property of a character. */
const PROPERTY_STEPS = 8;
const ASCII = 128;

/** A set of characters: ranges of code points, and properties such as `\p{L}` that only the runtime knows. */
export type CharSet = {
  isNegated: boolean;
  /** Pairs of first and last code point, sorted by `finishSet`. */
  ranges: number[];
  properties: RegExp[];
  ascii?: Uint8Array;
};

export const createSet = (ranges: number[] = [], isNegated = false): CharSet => ({ isNegated, ranges, properties: [] });

const DIGITS = [48, 57];
const WORDS = [48, 57, 65, 90, 95, 95, 97, 122];
const SPACES = [9, 13, 32, 32, 160, 160, 5760, 5760, 8192, 8202, 8232, 8233, 8239, 8239, 8287, 8287, 12288, 12288];
SPACES.push(65279, 65279);
const LINE_ENDS = [10, 10, 13, 13, 8232, 8233];

export const anyButLineEnds = (): CharSet => createSet(LINE_ENDS, true);

/** What `\d`, `\D`, `\w`, `\W`, `\s` and `\S` stand for. */
export function rangesOfEscape(letter: string): number[] | undefined {
  const ranges = { d: DIGITS, w: WORDS, s: SPACES }[letter.toLowerCase()];
  if (!ranges) return undefined;
  return letter === letter.toLowerCase() ? ranges : complementOf(ranges);
}

export const isWordCode = (code: number): boolean => isWithin(WORDS, code);

/** Sorts the ranges and joins what overlaps, so that they can be searched. */
export function finishSet(set: CharSet): CharSet {
  const pairs: [number, number][] = [];
  for (let at = 0; at < set.ranges.length; at += 2)
    pairs.push([set.ranges[at] as number, set.ranges[at + 1] as number]);
  pairs.sort((a, b) => a[0] - b[0]);
  const joined: number[] = [];
  for (const [first, last] of pairs) {
    const end = joined.length - 1;
    if (end > 0 && first <= (joined[end] as number) + 1) joined[end] = Math.max(joined[end] as number, last);
    else joined.push(first, last);
  }
  set.ranges = joined;
  return set;
}

export function setHas(set: CharSet, code: number, budget: Budget): boolean {
  if (code >= ASCII) return evaluate(set, code, budget);
  set.ascii ??= new Uint8Array(ASCII);
  const known = set.ascii[code];
  if (known) return known === 1;
  const isIn = evaluate(set, code, budget);
  set.ascii[code] = isIn ? 1 : 2;
  return isIn;
}

function evaluate({ isNegated, ranges, properties }: CharSet, code: number, budget: Budget): boolean {
  if (isWithin(ranges, code)) return !isNegated;
  if (properties.length === 0) return isNegated;
  budget.spend(properties.length * PROPERTY_STEPS);
  const text = String.fromCodePoint(code);
  return properties.some((property) => property.test(text)) !== isNegated;
}

function isWithin(ranges: readonly number[], code: number): boolean {
  let low = 0;
  let high = ranges.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (code < (ranges[middle * 2] as number)) high = middle - 1;
    else if (code > (ranges[middle * 2 + 1] as number)) low = middle + 1;
    else return true;
  }
  return false;
}

function complementOf(ranges: number[]): number[] {
  const complement = [0];
  for (let at = 0; at < ranges.length; at += 2)
    complement.push((ranges[at] as number) - 1, (ranges[at + 1] as number) + 1);
  complement.push(0x10ffff);
  return complement;
}

import { either, literal } from './rules.ts';

type Bounds = { minimum?: number; maximum?: number; exclusiveMinimum?: number; exclusiveMaximum?: number };

const digitsMax = 15;
const multiplesMax = 200;
const NO_FRACTION = '';
const FRACTION = ' ("." [0-9]{1,6})?';

/** Integers within bounds as GBNF; undefined where a grammar cannot carry them. */
export function integerRange(bounds: Bounds, multipleOf?: number): string | undefined {
  const low = Math.max(ceil(bounds.minimum), (floor(bounds.exclusiveMinimum) ?? -Infinity) + 1);
  const high = Math.min(floor(bounds.maximum) ?? Infinity, ceil(bounds.exclusiveMaximum, Infinity) - 1);
  if (multipleOf !== undefined && multipleOf !== 1) return multiples(low, high, multipleOf);
  return signed(low, high, NO_FRACTION, NO_FRACTION);
}

/** Decimal numbers within bounds. Only some of them where bounds fall between integers: all that are made are valid. */
export function numberRange(bounds: Bounds, multipleOf?: number): string | undefined {
  const low = Math.max(bounds.minimum ?? -Infinity, bounds.exclusiveMinimum ?? -Infinity);
  const high = Math.min(bounds.maximum ?? Infinity, bounds.exclusiveMaximum ?? Infinity);
  const lowOpen = bounds.exclusiveMinimum !== undefined && bounds.exclusiveMinimum >= low;
  const highOpen = bounds.exclusiveMaximum !== undefined && bounds.exclusiveMaximum <= high;
  if (multipleOf !== undefined) {
    const first = Math.ceil(low) + (lowOpen && Number.isInteger(low) ? 1 : 0);
    const last = Math.floor(high) - (highOpen && Number.isInteger(high) ? 1 : 0);
    return Number.isInteger(multipleOf) ? multiples(first, last, multipleOf) : undefined;
  }
  const branches: string[] = [];
  // On each side of zero: whole steps with any fraction, then the last integer alone.
  if (high > 0 || (high === 0 && !highOpen))
    branches.push(...side('', Math.max(low, 0), high, lowOpen && low >= 0, highOpen));
  if (low < 0) branches.push(...side('"-" ', Math.max(-high, 0), -low, highOpen && high <= 0, lowOpen));
  return branches.length > 0 ? either(branches) : someDecimals(low, high, lowOpen, highOpen);
}

function side(sign: string, low: number, high: number, lowOpen: boolean, highOpen: boolean): string[] {
  const first = Math.ceil(low) + (lowOpen && Number.isInteger(low) ? 1 : 0);
  const last = Math.floor(high);
  const branches: string[] = [];
  const steps = unsigned(first, last - 1);
  if (steps !== undefined) branches.push(`${sign}${steps}${FRACTION}`);
  if (Number.isFinite(last) && last >= first && !(highOpen && last === high))
    branches.push(`${sign}${literal(String(last))}`);
  return branches;
}

function someDecimals(low: number, high: number, lowOpen: boolean, highOpen: boolean): string | undefined {
  for (let digits = 1; digits <= 6; digits++) {
    const scale = 10 ** digits;
    const found: string[] = [];
    const first = Math.ceil(low * scale);
    // Counted apart: adding one changes nothing about very large numbers.
    for (let index = 0; index < 66 && first + index <= high * scale && found.length < 64; index++) {
      const step = first + index;
      const value = Number((step / scale).toFixed(digits));
      if (value < low || value > high || (lowOpen && value === low) || (highOpen && value === high)) continue;
      found.push(literal(value.toFixed(digits)));
    }
    if (found.length > 0) return either(found);
  }
  return undefined;
}

function multiples(low: number, high: number, step: number): string | undefined {
  if (!Number.isInteger(step) || step <= 0) return undefined;
  const first = Number.isFinite(low) ? Math.ceil(low / step) : 0;
  const last = Number.isFinite(high) ? Math.floor(high / step) : first + multiplesMax;
  if (last < first) return undefined;
  const count = Math.min(last - first + 1, multiplesMax);
  return either(Array.from({ length: count }, (_, index) => literal(String((first + index) * step))));
}

function signed(low: number, high: number, lowSuffix: string, highSuffix: string): string | undefined {
  const branches: string[] = [];
  if (high >= 0) {
    const positive = unsigned(Math.max(low, 0), high);
    if (positive !== undefined) branches.push(positive + highSuffix);
  }
  if (low < 0) {
    const negative = unsigned(Math.max(-high, 1), -low);
    if (negative !== undefined) branches.push(`"-" ${negative}${lowSuffix}`);
  }
  return branches.length > 0 ? either(branches) : undefined;
}

/** Integers from `low` to `high`, neither below zero; `high` may be infinite. */
function unsigned(low: number, high: number): string | undefined {
  if (low > high) return undefined;
  if (String(low).includes('e')) return undefined;
  const most = Number.isFinite(high) && high < 10 ** digitsMax ? high : 10 ** digitsMax - 1;
  if (low > most) return undefined;
  const branches: string[] = [];
  // One branch per number of digits, so that both ends have equally many.
  for (let length = String(low).length; length <= String(most).length; length++) {
    const from = Math.max(low, length === 1 ? 0 : 10 ** (length - 1));
    const to = Math.min(most, 10 ** length - 1);
    if (from <= to) branches.push(sameLength(String(from), String(to)));
  }
  return either(branches);
}

function sameLength(from: string, to: string): string {
  if (from === to) return literal(from);
  const [a = '0', b = '9'] = [from[0], to[0]];
  const rest = from.length - 1;
  if (rest === 0) return `[${a}-${b}]`;
  const zeros = '0'.repeat(rest);
  const nines = '9'.repeat(rest);
  if (from.slice(1) === zeros && to.slice(1) === nines) return `[${a}-${b}] [0-9]{${rest}}`;
  if (a === b) return `${literal(a)} ${sameLength(from.slice(1), to.slice(1))}`;
  const branches = [`${literal(a)} ${sameLength(from.slice(1), nines)}`];
  if (Number(b) - Number(a) > 1) branches.push(`[${Number(a) + 1}-${Number(b) - 1}] [0-9]{${rest}}`);
  branches.push(`${literal(b)} ${sameLength(zeros, to.slice(1))}`);
  return either(branches);
}

function floor(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.floor(value);
}

function ceil(value: number | undefined, missing = -Infinity): number {
  return value === undefined ? missing : Math.ceil(value);
}

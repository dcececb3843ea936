import type { Budget } from '../budget.ts';
import { canonicalText, isEqual } from '../equal.ts';
import { addStep, TYPE } from '../node.ts';
import { InvalidSchema } from '../refusals.ts';
import { refuse } from '../visit.ts';
import { isBoolean, isCount, isNumber, isString, type Keyword } from './keyword.ts';

const HIGH_SURROGATE = /[\ud800-\udbff]/;
const isType = (value: unknown): value is keyof typeof TYPE => isString(value) && Object.hasOwn(TYPE, value);

/** Keywords about a whole value, numbers and strings. */
export const valueKeywords: Record<string, Keyword> = {
  type: {
    accepts: (value) =>
      isType(value) ||
      (Array.isArray(value) && value.length > 0 && value.every(isType) && new Set(value).size === value.length),
    build({ node }, value: keyof typeof TYPE | (keyof typeof TYPE)[]) {
      node.types = [value].flat().reduce((mask, name) => mask | TYPE[name], 0);
    },
  },
  nullable: {
    accepts: isBoolean,
    build({ node, beside }, value: boolean) {
      if (value && beside.type !== undefined) node.types |= TYPE.null;
    },
  },
  const: {
    build({ node }, value: unknown) {
      addStep(
        node,
        'always',
        (run, given) =>
          isEqual(value, given, run.budget) ||
          refuse(run, 'const', 'must be equal to constant', { allowedValue: value }),
      );
    },
  },
  enum: {
    accepts: Array.isArray,
    build({ node }, values: unknown[]) {
      if (values.length === 0) throw new InvalidSchema();
      const plain = new Set(values.filter((value) => typeof value !== 'object' || value === null));
      const compound = values.filter((value) => typeof value === 'object' && value !== null);
      addStep(node, 'always', (run, given) => {
        if (isString(given)) run.budget.spend(given.length >> 5);
        if (plain.has(given)) return true;
        const isCompound = typeof given === 'object' && given !== null;
        if (isCompound && compound.some((value) => isEqual(value, given, run.budget))) return true;
        return refuse(run, 'enum', 'must be equal to one of the allowed values', { allowedValues: values });
      });
    },
  },
  maximum: bounded('<=', (value, bound) => value <= bound),
  minimum: bounded('>=', (value, bound) => value >= bound),
  exclusiveMaximum: bounded('<', (value, bound) => value < bound),
  exclusiveMinimum: bounded('>', (value, bound) => value > bound),
  multipleOf: {
    accepts: (value) => isNumber(value) && value > 0,
    build({ node }, multipleOf: number) {
      addStep(
        node,
        'numbers',
        (run, given) =>
          Number.isInteger(given / multipleOf) ||
          refuse(run, 'multipleOf', () => `must be multiple of ${multipleOf}`, { multipleOf }),
      );
    },
  },
  maxLength: {
    accepts: isCount,
    build({ node }, limit: number) {
      addStep(
        node,
        'strings',
        (run, given) =>
          given.length <= limit ||
          (given.length <= limit * 2 && countCharacters(given, run.budget) <= limit) ||
          refuse(run, 'maxLength', () => `must NOT have more than ${limit} characters`, { limit }),
      );
    },
  },
  minLength: {
    accepts: isCount,
    build({ node }, limit: number) {
      addStep(
        node,
        'strings',
        (run, given) =>
          (given.length >= limit && (given.length >= limit * 2 || countCharacters(given, run.budget) >= limit)) ||
          refuse(run, 'minLength', () => `must NOT have fewer than ${limit} characters`, { limit }),
      );
    },
  },
  pattern: {
    accepts: isString,
    build({ node, pattern: prepare }, source: string) {
      const pattern = prepare(source);
      addStep(
        node,
        'strings',
        (run, given) =>
          pattern.test(given, run.budget) ||
          refuse(run, 'pattern', () => `must match pattern "${source}"`, { pattern: source }),
      );
    },
  },
};

function bounded(comparison: string, isWithin: (value: number, bound: number) => boolean): Keyword {
  const keyword = { '<=': 'maximum', '>=': 'minimum', '<': 'exclusiveMaximum', '>': 'exclusiveMinimum' }[comparison];
  return {
    accepts: isNumber,
    build({ node }, bound: number) {
      addStep(
        node,
        'numbers',
        (run, given) =>
          isWithin(given, bound) ||
          refuse(run, keyword as string, () => `must be ${comparison} ${bound}`, { comparison, limit: bound }),
      );
    },
  };
}

/** In code points. The runtime finds the first surrogate long before a loop would, which V8 does not always compile in time. */
function countCharacters(text: string, budget: Budget): number {
  budget.spend(text.length >> 6);
  const first = text.search(HIGH_SURROGATE);
  if (first === -1) return text.length;
  budget.spend((text.length - first) >> 1);
  let count = text.length;
  for (let at = first; at + 1 < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(at + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/** Compares by a text instead of each with each: 100,000 items are common. */
export function hasDuplicates(items: unknown[], budget: Budget): boolean {
  budget.spend(items.length * 8);
  const seen = new Set<unknown>();
  const texts = new Set<string>();
  return items.some((item) => {
    const isCompound = typeof item === 'object' && item !== null;
    const [set, key] = isCompound ? [texts as Set<unknown>, canonicalText(item, budget)] : [seen, item];
    if (set.has(key)) return true;
    set.add(key);
    return false;
  });
}

import { printCode, printSet } from './character-set.ts';
import { type Builder, type Expression, listParts, TooExpensive } from './expression.ts';
import type { Grammar } from './read-gbnf.ts';

/** The native parser writes a repetition out; a longer one is left without its bound. */
const REPETITION_MAX = 500;
/** llama.cpp compares each word of the vocabulary with every range of characters that may come next. */
const RANGES_MAX = 300;
/** After repetitions are written out. */
const ELEMENTS_MAX = 60_000;

export function printGbnf(rules: Grammar, build: Builder): string {
  const uses = new Map<string, number>();
  const classes = new Map<Expression, Expression>();
  for (const body of rules.values()) countUses(body, uses);
  const whole: [string, Expression][] = [...rules]
    .filter(([name]) => name === 'root' || !isInlined(name))
    .map(([name, body]) => [name, nameClasses(inline(body))]);
  for (const [set, name] of classes) whole.push([name.kind === 'rule' ? name.name : '', set]);
  if (widthOf(new Map(whole)) > RANGES_MAX) throw new TooExpensive('Too many characters may come next.');
  if (whole.reduce((sum, [, body]) => sum + countElements(body), 0) > ELEMENTS_MAX)
    throw new TooExpensive('It has too many repetitions.');
  return `${whole.map(([name, body]) => `${name} ::= ${printOptions(body)}`).join('\n')}\n`;

  /** A class that is repeated has a rule, because a repetition is written out. */
  function nameClasses(part: Expression): Expression {
    switch (part.kind) {
      case 'either':
        return build.either(part.options.map(nameClasses));
      case 'sequence':
        return listParts(part).reduceRight((tail, head) => build.sequence(nameClasses(head), tail), build.empty);
      case 'repeat': {
        const { body, min, max } = part;
        if (body.kind !== 'character' || body.set.length <= 2) return build.repeat(nameClasses(body), min, max);
        const name = classes.get(body) ?? build.rule(`class-${classes.size}`);
        classes.set(body, name);
        return build.repeat(name, min, max);
      }
      default:
        return part;
    }
  }

  /** A rule that was made for one place stands in that place. */
  function isInlined(name: string): boolean {
    return name.startsWith('way-') && uses.get(name) === 1 && !isRecursive(name);
  }

  function isRecursive(name: string): boolean {
    const own = new Map<string, number>();
    countUses(rules.get(name) ?? build.empty, own);
    return own.has(name);
  }

  function inline(part: Expression): Expression {
    switch (part.kind) {
      case 'rule':
        return isInlined(part.name) ? inline(rules.get(part.name) ?? build.empty) : part;
      case 'either':
        return build.either(part.options.map(inline));
      case 'repeat':
        return build.repeat(inline(part.body), part.min, part.max);
      case 'sequence':
        return listParts(part).reduceRight((tail, head) => build.sequence(inline(head), tail), build.empty);
      default:
        return part;
    }
  }
}

/** The most ranges of characters that may come next at one place. */
function widthOf(rules: Grammar): number {
  const known = new Map<string, Width>();
  let widest = 0;
  for (const name of rules.keys()) ofRule(name);
  return widest;

  function ofRule(name: string): Width {
    const found = known.get(name);
    if (found) return found;
    // Only a rule that begins with itself comes here twice; the native parser refuses it.
    known.set(name, { ranges: 0, isNullable: false });
    const made = of(rules.get(name) as Expression);
    known.set(name, made);
    return made;
  }

  function of(part: Expression): Width {
    const made = measure(part);
    widest = Math.max(widest, made.ranges);
    return made;
  }

  function measure(part: Expression): Width {
    switch (part.kind) {
      case 'empty':
        return { ranges: 0, isNullable: true };
      case 'character':
        return { ranges: part.set.length / 2, isNullable: false };
      case 'rule':
        return ofRule(part.name);
      case 'repeat': {
        const { ranges, isNullable } = of(part.body);
        return { ranges, isNullable: isNullable || part.min === 0 };
      }
      case 'either': {
        const options = part.options.map(of);
        return {
          ranges: options.reduce((sum, { ranges }) => sum + ranges, 0),
          isNullable: options.some(({ isNullable }) => isNullable),
        };
      }
      case 'sequence':
        return listParts(part).reduceRight<Width>(
          (next, item) => {
            const own = of(item);
            const whole = own.isNullable ? { ranges: own.ranges + next.ranges, isNullable: next.isNullable } : own;
            widest = Math.max(widest, whole.ranges);
            return whole;
          },
          { ranges: 0, isNullable: true },
        );
    }
  }
}

type Width = { ranges: number; isNullable: boolean };

function countUses(part: Expression, uses: Map<string, number>): void {
  switch (part.kind) {
    case 'rule':
      uses.set(part.name, (uses.get(part.name) ?? 0) + 1);
      return;
    case 'either':
      for (const option of part.options) countUses(option, uses);
      return;
    case 'repeat':
      countUses(part.body, uses);
      return;
    case 'sequence':
      for (const item of listParts(part)) countUses(item, uses);
  }
}

function countElements(part: Expression): number {
  switch (part.kind) {
    case 'character':
      return part.set.length;
    case 'either':
      return part.options.reduce((sum, option) => sum + countElements(option) + 1, 2);
    case 'sequence':
      return listParts(part).reduce((sum, item) => sum + countElements(item), 0);
    case 'repeat': {
      const { body, min, max } = part;
      const copied = body.kind === 'character' ? body.set.length : 1;
      const times = max > REPETITION_MAX ? Math.min(min, REPETITION_MAX) + 1 : max;
      return countElements(body) + times * (copied + 3);
    }
    default:
      return 1;
  }
}

function printOptions(part: Expression): string {
  return part.kind === 'either' ? part.options.map(printSequence).join(' | ') : printSequence(part);
}

function printSequence(part: Expression): string {
  if (part.kind === 'empty') return '""';
  const printed: string[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') printed.push(`"${text}"`);
    text = '';
  };
  for (const item of listParts(part)) {
    if (item.kind === 'character' && item.set.length === 2 && item.set[0] === item.set[1]) {
      text += printCode(item.set[0] ?? 0);
      continue;
    }
    flush();
    printed.push(printItem(item));
  }
  flush();
  return printed.join(' ');
}

function printItem(item: Expression): string {
  switch (item.kind) {
    case 'character':
      return printSet(item.set);
    case 'rule':
      return item.name;
    case 'repeat':
      return `${printAtom(item.body)}${printBounds(item.min, item.max)}`;
    default:
      return `(${printOptions(item)})`;
  }
}

function printAtom(part: Expression): string {
  return part.kind === 'sequence' ? `(${printSequence(part)})` : printItem(part);
}

function printBounds(min: number, max: number): string {
  if (max <= REPETITION_MAX) return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
  return min === 0 ? '*' : `{${Math.min(min, REPETITION_MAX)},}`;
}

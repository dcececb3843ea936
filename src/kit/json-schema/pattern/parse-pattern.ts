import { InvalidSchema, TooExpensive } from '../refusals.ts';
import { anyButLineEnds, type CharSet, createSet, finishSet, rangesOfEscape } from './char-set.ts';
import { propertyOf } from './properties.ts';

export type Expression = { size: number } & (
  | { type: 'code'; code: number }
  | { type: 'set'; set: CharSet }
  | { type: 'sequence' | 'either'; parts: Expression[] }
  | { type: 'repeat'; body: Expression; min: number; max: number }
  | { type: 'place'; place: 'start' | 'end' | 'word' | 'noWord' }
  | Look
);
export type Look = {
  size: number;
  type: 'look';
  /** In the list of all. */
  index: number;
  body: Expression;
  isBehind: boolean;
  isNegated: boolean;
};

export type Parsed = {
  expression: Expression;
  /** Inner ones before the ones around them. */
  looks: Look[];
  isUnicode: boolean;
  /** Back references and a few relics: only the runtime can match these. */
  needsRuntime: boolean;
};

const DEPTH_MAX = 100;
/** Of the program: a repetition `x{1000}` counts a thousand times. */
const SIZE_MAX = 50_000;
/** Different ones in one pattern. */
const PROPERTIES_MAX = 64;
const QUANTIFIER = /[*+?]|\{(\d+)(,(\d*))?\}/y;
const GROUP = /\(\?(?:(:)|(=)|(!)|(<=)|(<!)|<[^>=!]+>)/y;
const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, v: 11, f: 12 };
const HEX = /x([0-9a-f]{2})|u([0-9a-f]{4})/iy;
const UNICODE_HEX = /x([0-9a-f]{2})|u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]+)\}/iy;
const PROPERTY = /[pP]\{[^}]*\}/y;

/** Parses an expression that `checkSyntax` accepted. */
export function parsePattern(source: string, isUnicode: boolean): Parsed {
  let at = 0;
  let needsRuntime = false;
  const looks: Look[] = [];
  const expression = parseEither(0);
  return { expression, looks, isUnicode, needsRuntime };

  function parseEither(depth: number): Expression {
    if (depth > DEPTH_MAX) throw new TooExpensive();
    const parts = [parseSequence(depth)];
    while (source[at] === '|') {
      at += 1;
      parts.push(parseSequence(depth));
    }
    return parts.length === 1
      ? (parts[0] as Expression)
      : { type: 'either', parts, size: limited(sizeOf(parts) + parts.length) };
  }

  function parseSequence(depth: number): Expression {
    const parts: Expression[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(parseRepeated(depth));
    return parts.length === 1
      ? (parts[0] as Expression)
      : { type: 'sequence', parts, size: limited(sizeOf(parts) + 1) };
  }

  function parseRepeated(depth: number): Expression {
    const body = parseAtom(depth);
    const found = take(QUANTIFIER);
    if (!found) return body;
    if (source[at] === '?') at += 1;
    const [text, least, comma, most] = found;
    const min = least === undefined ? Number(text === '+') : Number(least);
    const max =
      least === undefined ? (text === '?' ? 1 : Infinity) : comma === undefined ? min : Number(most || Infinity);
    const rest = max === Infinity ? body.size + 2 : (max - min) * (body.size + 1);
    return { type: 'repeat', body, min, max, size: limited(min * body.size + rest + 1) };
  }

  function parseAtom(depth: number): Expression {
    const character = source[at] as string;
    if (character === '(') return parseGroup(depth);
    if (character === '[') return ofSet(parseClass());
    if (character === '\\') return parseEscape();
    if (character === '.') {
      at += 1;
      return ofSet(anyButLineEnds());
    }
    if (character === '^' || character === '$') {
      at += 1;
      return { type: 'place', place: character === '^' ? 'start' : 'end', size: 1 };
    }
    return ofCode(takeCode());
  }

  function parseGroup(depth: number): Expression {
    const found = take(GROUP);
    if (!found) {
      // A modifier such as (?i: changes how the rest is read.
      if (source[at + 1] === '?') needsRuntime = true;
      at = source[at + 1] === '?' ? source.indexOf(':', at) + 1 : at + 1;
    }
    const body = parseEither(depth + 1);
    at += 1;
    const [, , ahead, notAhead, behind, notBehind] = found ?? [];
    if (!(ahead ?? notAhead ?? behind ?? notBehind)) return body;
    const look: Look = {
      type: 'look',
      index: looks.length,
      body,
      isBehind: (behind ?? notBehind) !== undefined,
      isNegated: (notAhead ?? notBehind) !== undefined,
      size: body.size + 1,
    };
    looks.push(look);
    return look;
  }

  function parseEscape(): Expression {
    const letter = source[at + 1] as string;
    if (letter === 'b' || letter === 'B') {
      at += 2;
      return { type: 'place', place: letter === 'b' ? 'word' : 'noWord', size: 1 };
    }
    if (/[1-9k]/.test(letter)) {
      needsRuntime = true;
      at += 2;
      return { type: 'sequence', parts: [], size: 1 };
    }
    const set = createSet();
    const code = takeEscape(set);
    return code === undefined ? ofSet(finishSet(set)) : ofCode(code);
  }

  /** The code point of an escaped character; a class such as `\d` is added to the set instead. */
  function takeEscape(set: CharSet): number | undefined {
    at += 1;
    const letter = source[at] as string;
    const ranges = rangesOfEscape(letter);
    if (ranges) {
      at += 1;
      set.ranges.push(...ranges);
      return undefined;
    }
    const property = isUnicode ? take(PROPERTY) : undefined;
    if (property) {
      set.properties.push(propertyOf(property[0]));
      return undefined;
    }
    const hex = take(isUnicode ? UNICODE_HEX : HEX);
    if (hex) return codeOfHex(hex);
    if (letter === 'c' || /[0-9]/.test(letter)) {
      // Octal and control escapes: \0 alone is the character zero.
      if (letter !== '0' || /[0-9]/.test(source[at + 1] ?? '')) needsRuntime = true;
      at += 1;
      return 0;
    }
    const known = ESCAPES[letter];
    if (known === undefined) return takeCode();
    at += 1;
    return known;
  }

  function parseClass(): CharSet {
    at += 1;
    const set = createSet();
    set.isNegated = source[at] === '^';
    if (set.isNegated) at += 1;
    while (source[at] !== ']') {
      const first = takeClassAtom(set);
      if (source[at] !== '-' || source[at + 1] === ']') {
        if (first !== undefined) set.ranges.push(first, first);
        continue;
      }
      at += 1;
      const last = takeClassAtom(set);
      // Only without Unicode mode: [\d-x] has three members.
      if (first === undefined || last === undefined) {
        set.ranges.push(45, 45);
        for (const code of [first, last]) if (code !== undefined) set.ranges.push(code, code);
      } else set.ranges.push(first, last);
    }
    at += 1;
    return finishSet(set);
  }

  function takeClassAtom(set: CharSet): number | undefined {
    if (source[at] !== '\\') return takeCode();
    if (source[at + 1] === 'b') {
      at += 2;
      return 8;
    }
    return takeEscape(set);
  }

  function takeCode(): number {
    const code = (isUnicode ? source.codePointAt(at) : source.charCodeAt(at)) as number;
    at += code > 0xffff ? 2 : 1;
    return code;
  }

  function take(expected: RegExp): RegExpExecArray | undefined {
    expected.lastIndex = at;
    const found = expected.exec(source) ?? undefined;
    if (found) at = expected.lastIndex;
    return found;
  }
}

function codeOfHex([, byte, high, low, unit, point]: RegExpExecArray): number {
  if (high !== undefined && low !== undefined)
    return 0x10000 + ((Number.parseInt(high, 16) - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
  return Number.parseInt(byte ?? high ?? unit ?? point ?? '0', 16);
}

const ofSet = (set: CharSet): Expression => ({ type: 'set', set, size: 1 });
const ofCode = (code: number): Expression => ({ type: 'code', code, size: 1 });

const sizeOf = (parts: Expression[]): number => parts.reduce((sum, { size }) => sum + size, 0);

function limited(size: number): number {
  if (size > SIZE_MAX) throw new TooExpensive();
  return size;
}

// Real patterns escape more characters than Unicode mode allows.
export function checkSyntax(source: string): { isUnicode: boolean } {
  // The runtime builds a table for each property, and again for each place that names it: 100 kB take a second.
  const cheap = source.replace(/\\[pP]\{[^}]*\}|\\./gs, (found) => (/^\\[pP]\{/.test(found) ? '\\d' : found));
  try {
    new RegExp(cheap, 'u');
    const names = new Set<string>();
    if (cheap !== source) for (const [, name] of source.matchAll(/\\([pP]\{[^}]*\})|\\./gs)) if (name) names.add(name);
    if (names.size > PROPERTIES_MAX) throw new TooExpensive();
    for (const name of names) propertyOf(name);
    return { isUnicode: true };
  } catch (error) {
    if (error instanceof TooExpensive) throw error;
  }
  try {
    new RegExp(source);
    return { isUnicode: false };
  } catch {
    throw new InvalidSchema();
  }
}

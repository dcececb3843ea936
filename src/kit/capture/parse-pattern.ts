/** A regular expression with one text per character, as a tree. */
export type Node =
  | { type: 'character'; test: (character: string) => boolean }
  | { type: 'start' | 'end' }
  | { type: 'sequence' | 'either'; parts: Node[] }
  | { type: 'repeat'; body: Node; min: number; max: number; isLazy: boolean }
  | { type: 'group'; body: Node; isFirst: boolean };

/** Not a pattern, or one that only backtracking could match. */
export class UnsupportedPattern extends Error {}

const REPEATS = /\{(\d{1,3})(,(\d{0,3}))?\}/y;
/** `[…]` with whatever is escaped in it. */
const CLASS = /\[\^?(?:[^\]\\]|\\.)*\]/sy;
const ESCAPE = /\\(?:[dDwWsStnrfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^A-Za-z0-9])/sy;
const QUANTIFIERS: Record<string, [min: number, max: number]> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};
const DEPTH_MAX = 20;

export function parsePattern(source: string): { root: Node; groups: number } {
  let at = 0;
  let groups = 0;

  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at += found[0].length;
    return found;
  };

  function parseEither(depth: number): Node {
    if (depth > DEPTH_MAX) throw new UnsupportedPattern();
    const parts = [parseSequence(depth)];
    while (source[at] === '|') {
      at += 1;
      parts.push(parseSequence(depth));
    }
    return { type: 'either', parts };
  }

  function parseSequence(depth: number): Node {
    const parts: Node[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(parseRepeated(depth));
    return { type: 'sequence', parts };
  }

  function parseRepeated(depth: number): Node {
    const body = parseOne(depth);
    const range = readRange();
    if (!range) return body;
    if (body.type === 'start' || body.type === 'end') throw new UnsupportedPattern();
    const isLazy = source[at] === '?';
    if (isLazy) at += 1;
    return { type: 'repeat', body, min: range[0], max: range[1], isLazy };
  }

  function readRange(): [number, number] | undefined {
    const sign = QUANTIFIERS[source[at] ?? ''];
    if (sign) {
      at += 1;
      return sign;
    }
    const counted = match(REPEATS);
    if (!counted) return undefined;
    const min = Number(counted[1]);
    const max = counted[2] === undefined ? min : counted[3] ? Number(counted[3]) : Number.POSITIVE_INFINITY;
    if (max < min) throw new UnsupportedPattern();
    return [min, max];
  }

  function parseOne(depth: number): Node {
    const character = source[at] as string;
    if (character === '(') return parseGroup(depth);
    if (character === '^' || character === '$') {
      at += 1;
      return { type: character === '^' ? 'start' : 'end' };
    }
    const set = match(CLASS) ?? match(ESCAPE);
    if (set) return { type: 'character', test: testOf(set[0]) };
    if ('*+?{}[]\\'.includes(character)) throw new UnsupportedPattern();
    at += 1;
    return { type: 'character', test: character === '.' ? isNoLineEnd : (other) => other === character };
  }

  function parseGroup(depth: number): Node {
    at += 1;
    const isPlain = source.startsWith('?:', at);
    if (isPlain) at += 2;
    else if (source[at] === '?') throw new UnsupportedPattern();
    else groups += 1;
    const isFirst = !isPlain && groups === 1;
    const body = parseEither(depth + 1);
    if (source[at] !== ')') throw new UnsupportedPattern();
    at += 1;
    return isPlain ? body : { type: 'group', body, isFirst };
  }

  const root = parseEither(0);
  if (at < source.length) throw new UnsupportedPattern();
  return { root, groups };
}

const isNoLineEnd = (character: string): boolean => character !== '\n' && character !== '\r';

/** On one character even the runtime's own expressions take constant time. */
function testOf(set: string): (character: string) => boolean {
  try {
    const expression = new RegExp(`^${set}$`, 's');
    return (character) => expression.test(character);
  } catch {
    throw new UnsupportedPattern();
  }
}

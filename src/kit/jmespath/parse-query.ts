import { InvalidQuery } from './refusals.ts';
import { readTokens, type Token } from './tokens.ts';

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

export type Node =
  | { type: 'current' }
  | { type: 'field'; name: string }
  | { type: 'literal'; value: unknown }
  | { type: 'index'; left: Node; index: number }
  | { type: 'slice'; left: Node; start: number | null; stop: number | null; step: number | null }
  /** The right side sees what the left side found. */
  | { type: 'then'; left: Node; right: Node }
  | { type: 'or' | 'and'; left: Node; right: Node }
  | { type: 'not'; inner: Node }
  | { type: 'compare'; by: Comparison; left: Node; right: Node }
  | { type: 'flatten'; left: Node }
  | { type: 'each'; of: 'items' | 'values'; left: Node; right: Node; filter?: Node }
  | { type: 'list'; items: Node[] }
  | { type: 'object'; members: [name: string, value: Node][] }
  | { type: 'call'; name: string; parameters: Node[] }
  | { type: 'reference'; inner: Node };

/** How strongly a sign binds what is left of it. */
const POWERS: Record<string, number> = {
  '|': 1,
  '||': 2,
  '&&': 3,
  '==': 5,
  '!=': 5,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '[]': 9,
  '*': 20,
  '[?': 21,
  '.': 40,
  '!': 45,
  '{': 50,
  '[': 55,
  '(': 60,
};
/** A projection goes on to the right until a sign that binds less than this. */
const PROJECTION_END = 10;
const DEPTH_MAX = 50;
const CURRENT: Node = { type: 'current' };

export function parseQuery(source: string): Node {
  const tokens = readTokens(source);
  let at = 0;
  let depth = 0;

  const peek = (ahead = 0): Token => tokens[Math.min(at + ahead, tokens.length - 1)] as Token;
  const next = (): Token => tokens[at < tokens.length - 1 ? at++ : at] as Token;
  const powerOf = ({ kind }: Token): number => POWERS[kind] ?? 0;

  function refuse({ kind, at: place }: Token): never {
    throw new InvalidQuery(
      kind === 'end' ? 'the expression ends too early' : `character ${place + 1} is not expected here`,
    );
  }

  function expect(kind: string): Token {
    return peek().kind === kind ? next() : refuse(peek());
  }

  function take(kind: string): boolean {
    if (peek().kind !== kind) return false;
    next();
    return true;
  }

  function parse(power: number): Node {
    depth += 1;
    if (depth > DEPTH_MAX) throw new InvalidQuery('it is nested too deeply');
    let left = parseFirst(next());
    while (power < powerOf(peek())) left = parseNext(next(), left);
    depth -= 1;
    return left;
  }

  function parseFirst(token: Token): Node {
    switch (token.kind) {
      case 'literal':
        return { type: 'literal', value: token.value };
      case 'name':
        return { type: 'field', name: token.value as string };
      case 'quoted':
        if (peek().kind === '(') refuse(peek());
        return { type: 'field', name: token.value as string };
      case '@':
        return CURRENT;
      case '!':
        return { type: 'not', inner: parse(powerOf(token)) };
      case '&':
        return { type: 'reference', inner: parse(0) };
      case '(': {
        const inner = parse(0);
        expect(')');
        return inner;
      }
      case '*':
        return { type: 'each', of: 'values', left: CURRENT, right: parseRest(20) };
      case '{':
        return parseObject();
      case '[]':
      case '[?':
        return parseNext(token, CURRENT);
      case '[':
        if (peek().kind === 'number' || peek().kind === ':') return parseBracket(CURRENT);
        if (peek().kind === '*' && peek(1).kind === ']') return parseBracket(CURRENT);
        return parseList();
      default:
        return refuse(token);
    }
  }

  function parseNext(token: Token, left: Node): Node {
    switch (token.kind) {
      case '.':
        if (take('*')) return { type: 'each', of: 'values', left, right: parseRest(40) };
        return { type: 'then', left, right: parseMember(40) };
      case '|':
        return { type: 'then', left, right: parse(1) };
      case '||':
        return { type: 'or', left, right: parse(2) };
      case '&&':
        return { type: 'and', left, right: parse(3) };
      case '(':
        return parseCall(left, token);
      case '[?': {
        const filter = parse(0);
        expect(']');
        const right = peek().kind === '[]' ? CURRENT : parseRest(21);
        return { type: 'each', of: 'items', left, right, filter };
      }
      case '[]':
        return { type: 'each', of: 'items', left: { type: 'flatten', left }, right: parseRest(9) };
      case '[':
        return parseBracket(left);
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return { type: 'compare', by: token.kind, left, right: parse(5) };
      default:
        return refuse(token);
    }
  }

  /** What a projection does with each of its items. */
  function parseRest(power: number): Node {
    const token = peek();
    if (powerOf(token) < PROJECTION_END) return CURRENT;
    if (token.kind === '[' || token.kind === '[?') return parse(power);
    if (token.kind !== '.') return refuse(token);
    next();
    return parseMember(power);
  }

  function parseMember(power: number): Node {
    const { kind } = peek();
    if (kind === 'name' || kind === 'quoted' || kind === '*') return parse(power);
    if (take('[')) return parseList();
    if (take('{')) return parseObject();
    return refuse(peek());
  }

  function parseList(): Node {
    const items: Node[] = [];
    do items.push(parse(0));
    while (take(','));
    expect(']');
    return { type: 'list', items };
  }

  function parseObject(): Node {
    const members: [string, Node][] = [];
    do {
      const name = next();
      if (name.kind !== 'name' && name.kind !== 'quoted') refuse(name);
      expect(':');
      members.push([name.value as string, parse(0)]);
    } while (take(','));
    expect('}');
    return { type: 'object', members };
  }

  function parseCall(left: Node, token: Token): Node {
    if (left.type !== 'field') return refuse(token);
    const parameters: Node[] = [];
    if (!take(')')) {
      do parameters.push(parse(0));
      while (take(','));
      expect(')');
    }
    return { type: 'call', name: left.name, parameters };
  }

  /** `[3]`, `[1:2]` or `[*]`. */
  function parseBracket(left: Node): Node {
    if (take('*')) {
      expect(']');
      return { type: 'each', of: 'items', left, right: parseRest(20) };
    }
    const parts: (number | null)[] = [null];
    for (;;) {
      if (peek().kind === 'number' && parts.at(-1) === null) parts[parts.length - 1] = next().value as number;
      else if (peek().kind === ':' && parts.length < 3) {
        next();
        parts.push(null);
      } else break;
    }
    const last = expect(']');
    const [start = null, stop = null, step = null] = parts;
    if (parts.length === 1) return start === null ? refuse(last) : { type: 'index', left, index: start };
    if (step === 0) throw new InvalidQuery('the step of a slice is not 0');
    return { type: 'each', of: 'items', left: { type: 'slice', left, start, stop, step }, right: parseRest(20) };
  }

  const query = parse(0);
  if (peek().kind !== 'end') refuse(peek());
  return query;
}

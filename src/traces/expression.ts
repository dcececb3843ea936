import type { Condition } from './schema/condition.ts';
import { type Field, type Operator, operatorsOf } from './schema/fields.ts';

type Token = { kind: 'word' | 'text' | 'number' | 'sign'; text: string; at: number };

const TOKENS_MAX = 400;
const DEPTH_MAX = 20;
const VALUES_MAX = 100;
/** More wildcards in one pattern could make a single comparison slow. */
const WILDCARDS_MAX = 5;
const SPACE = /\s/;
const TOKEN =
  /(?:(?<text>'(?:[^']|'')*'|"(?:[^"]|"")*")|(?<number>[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])|(?<word>[A-Za-z_][\w.]*)|(?<sign><=|>=|!=|<>|[=<>(),[\]]))/y;

const SIGNS: Record<string, Operator> = {
  '=': 'eq',
  '!=': 'neq',
  '<>': 'neq',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
const WORDS: Record<string, { plain: Operator; negated?: Operator }> = {
  LIKE: { plain: 'like', negated: 'not_like' },
  ILIKE: { plain: 'ilike', negated: 'not_ilike' },
  CONTAINS: { plain: 'contains', negated: 'not_contains' },
  IN: { plain: 'in', negated: 'not_in' },
  BETWEEN: { plain: 'between', negated: 'not_between' },
  EXISTS: { plain: 'exists', negated: 'not_exists' },
  HAS: { plain: 'has' },
};

/** Says what is wrong with an expression, and where. */
export class ExpressionMistake extends Error {}

/** `AND`, `OR`, `NOT` and parentheses over conditions of the form `field operator value`. */
export function parseExpression(expression: string, fields: readonly Field[]): Condition | undefined {
  if (expression.trim() === '') return undefined;
  return new Parser(expression, fields).parse();
}

class Parser {
  readonly #tokens: Token[];
  readonly #fields: readonly Field[];
  #next = 0;

  constructor(expression: string, fields: readonly Field[]) {
    this.#tokens = tokensOf(expression);
    this.#fields = fields;
  }

  parse(): Condition {
    const condition = this.#either(0);
    const rest = this.#tokens[this.#next];
    if (rest) throw mistake(`'${rest.text}' is not expected here; join conditions with AND or OR`, rest);
    return condition;
  }

  #either(depth: number): Condition {
    if (depth > DEPTH_MAX) throw mistake('parentheses are nested too deeply', this.#peek());
    return this.#joined('or', () => this.#joined('and', () => this.#negated(depth)));
  }

  #joined(op: 'and' | 'or', read: () => Condition): Condition {
    const items = [read()];
    while (this.#take(op)) items.push(read());
    return items.length === 1 ? (items[0] as Condition) : { op, items };
  }

  #negated(depth: number): Condition {
    let isNegated = false;
    while (this.#take('not')) isNegated = !isNegated;
    const item = this.#group(depth);
    return isNegated ? { op: 'not', item } : item;
  }

  #group(depth: number): Condition {
    if (!this.#take('(')) return this.#comparison();
    const condition = this.#either(depth + 1);
    this.#expect(')');
    return condition;
  }

  #comparison(): Condition {
    const { field, key } = this.#field();
    const at = this.#peek();
    const op = this.#operator(field);
    if (!operatorsOf(field).includes(op))
      throw mistake(`'${field.name}' does not have this operator; it has ${operatorsOf(field).join(', ')}`, at);
    return { op, field, key, values: this.#values(op, field) };
  }

  #field(): { field: Field; key: string | null } {
    const token = this.#tokens[this.#next++];
    if (token?.kind !== 'word') throw mistake('the name of a field is expected', token);
    const exact = this.#fields.find(({ name }) => name === token.text);
    if (exact && exact.type !== 'MAP') return { field: exact, key: null };
    const dot = token.text.indexOf('.');
    const map = exact ?? this.#fields.find(({ name, type }) => type === 'MAP' && name === token.text.slice(0, dot));
    if (!map) throw mistake(`there is no field '${token.text}'`, token);
    if (!exact) return { field: map, key: token.text.slice(dot + 1) };
    this.#expect('[');
    const key = this.#tokens[this.#next++];
    if (key?.kind !== 'text')
      throw mistake(`the name of an attribute is expected, as in ${map.name}['http.route']`, key);
    this.#expect(']');
    return { field: map, key: key.text };
  }

  #operator(field: Field): Operator {
    const token = this.#tokens[this.#next++];
    const sign = token?.kind === 'sign' ? SIGNS[token.text] : undefined;
    if (sign) return sign;
    const isNegated = token?.kind === 'word' && token.text.toUpperCase() === 'NOT';
    const word = isNegated ? this.#tokens[this.#next++] : token;
    const known = word?.kind === 'word' ? WORDS[word.text.toUpperCase()] : undefined;
    const op = isNegated ? known?.negated : known?.plain;
    if (!op) throw mistake(`an operator is expected after '${field.name}', such as = or CONTAINS`, word ?? token);
    return op;
  }

  #values(op: Operator, field: Field): (string | number)[] {
    if (op === 'exists' || op === 'not_exists') return [];
    if (op === 'between' || op === 'not_between') {
      const low = this.#value(field);
      if (!this.#take('and')) throw mistake('AND and a second value are expected after BETWEEN', this.#peek());
      return [low, this.#value(field)];
    }
    if (op === 'in' || op === 'not_in') return this.#list(field);
    const at = this.#peek();
    const value = this.#value(field);
    if (op.endsWith('like') && String(value).split(/[%_]/).length - 1 > WILDCARDS_MAX)
      throw mistake(`a pattern has at most ${WILDCARDS_MAX} wildcards`, at);
    return [value];
  }

  #list(field: Field): (string | number)[] {
    this.#expect('(');
    const values = [this.#value(field)];
    while (this.#take(',')) values.push(this.#value(field));
    if (values.length > VALUES_MAX) throw mistake(`a list has at most ${VALUES_MAX} values`, this.#peek());
    this.#expect(')');
    return values;
  }

  #value({ name, type }: Field): string | number {
    const token = this.#tokens[this.#next++];
    if (token?.kind !== 'text' && token?.kind !== 'number') throw mistake(`a value is expected for '${name}'`, token);
    if (type === 'INT' || type === 'FLOAT') {
      const number = Number(token.text);
      if (Number.isFinite(number)) return number;
      throw mistake(`'${name}' is a number`, token);
    }
    if (type !== 'TIMESTAMP') return token.text;
    const ms = Date.parse(token.text);
    if (Number.isNaN(ms)) throw mistake(`'${name}' is a time, such as '2026-01-31T12:00:00Z'`, token);
    return ms * 1000;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  #take(text: string): boolean {
    const token = this.#peek();
    const isIt = token !== undefined && token.kind !== 'text' && token.text.toLowerCase() === text;
    if (isIt) this.#next++;
    return isIt;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw mistake(`'${text}' is expected`, this.#peek());
  }
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  const end = expression.trimEnd().length;
  for (let at = 0; at < end; ) {
    if (SPACE.test(expression[at] as string)) {
      at++;
      continue;
    }
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(expression)?.groups;
    if (!groups) throw new ExpressionMistake(`the character at position ${at + 1} cannot be read`);
    const { text, number, word, sign } = groups;
    if (text !== undefined) tokens.push({ kind: 'text', text: unquote(text), at });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, at });
    else tokens.push({ kind: 'sign', text: sign as string, at });
    at = TOKEN.lastIndex;
    if (tokens.length > TOKENS_MAX) throw new ExpressionMistake('the expression is too long');
  }
  return tokens;
}

function unquote(quoted: string): string {
  const quote = quoted[0] as string;
  return quoted.slice(1, -1).replaceAll(quote + quote, quote);
}

function mistake(problem: string, token: Token | undefined): ExpressionMistake {
  return new ExpressionMistake(token ? `${problem} (position ${token.at + 1})` : `${problem} at the end`);
}

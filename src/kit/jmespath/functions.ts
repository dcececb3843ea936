import { includesText } from '../base/includes-text.ts';
import { QueryFailed } from './refusals.ts';
import { Reference, type Steps } from './steps.ts';
import { isEqual, isObject } from './values.ts';

type Kind = 'number' | 'string' | 'array' | 'object' | 'boolean' | 'null' | 'expression';
type Parameter = readonly Kind[] | 'any';
type Row = { takes: readonly Parameter[]; repeats?: true; run: (given: never, steps: Steps) => unknown };
type List = unknown[];

const NUMBER: Parameter = ['number'];
const TEXT: Parameter = ['string'];
const LIST: Parameter = ['array'];
const OBJECT: Parameter = ['object'];
const EXPRESSION: Parameter = ['expression'];

/** The functions of the JMESPath specification. */
const functions = new Map<string, Row>(
  Object.entries<Row>({
    abs: { takes: [NUMBER], run: ([n]: [number]) => Math.abs(n) },
    avg: { takes: [LIST], run: ([list]: [List], steps) => (list.length ? sum(list, steps) / list.length : null) },
    ceil: { takes: [NUMBER], run: ([n]: [number]) => Math.ceil(n) },
    contains: {
      takes: [['array', 'string'], 'any'],
      run: ([within, one]: [List | string, unknown], steps) =>
        typeof within === 'string'
          ? typeof one === 'string' && includesText(within, one)
          : within.some((item) => isEqual(item, one, steps)),
    },
    ends_with: { takes: [TEXT, TEXT], run: ([text, end]: [string, string]) => text.endsWith(end) },
    floor: { takes: [NUMBER], run: ([n]: [number]) => Math.floor(n) },
    join: {
      takes: [TEXT, LIST],
      run: ([glue, list]: [string, List], steps) => join(glue, textsOf('join', list), steps),
    },
    keys: { takes: [OBJECT], run: ([object]: [object]) => Object.keys(object) },
    length: {
      takes: [['string', 'array', 'object']],
      run: ([value]: [string | List | object]) =>
        typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : Object.keys(value).length,
    },
    map: { takes: [EXPRESSION, LIST], run: ([by, list]: [Reference, List]) => list.map((item) => by.find(item)) },
    max: { takes: [LIST], run: ([list]: [List], steps) => last(sortPlain('max', list, steps)) },
    max_by: {
      takes: [LIST, EXPRESSION],
      run: ([list, by]: [List, Reference], steps) => extreme('max_by', list, by, 1, steps),
    },
    merge: {
      takes: [OBJECT],
      repeats: true,
      run: (objects: object[]) => Object.fromEntries(objects.flatMap((one) => Object.entries(one))),
    },
    min: { takes: [LIST], run: ([list]: [List], steps) => sortPlain('min', list, steps)[0] ?? null },
    min_by: {
      takes: [LIST, EXPRESSION],
      run: ([list, by]: [List, Reference], steps) => extreme('min_by', list, by, -1, steps),
    },
    not_null: { takes: ['any'], repeats: true, run: (values: List) => values.find((value) => value !== null) ?? null },
    reverse: {
      takes: [['string', 'array']],
      run: ([value]: [string | List]) =>
        typeof value === 'string' ? [...value].reverse().join('') : value.toReversed(),
    },
    sort: { takes: [LIST], run: ([list]: [List], steps) => sortPlain('sort', list, steps) },
    sort_by: {
      takes: [LIST, EXPRESSION],
      run: ([list, by]: [List, Reference], steps) => {
        const keyed = list.map((item) => ({ item, key: by.find(item) }));
        checkPlain(
          'sort_by',
          keyed.map(({ key }) => key),
          steps,
        );
        return keyed.sort((a, b) => order(a.key, b.key)).map(({ item }) => item);
      },
    },
    starts_with: { takes: [TEXT, TEXT], run: ([text, start]: [string, string]) => text.startsWith(start) },
    sum: { takes: [LIST], run: ([list]: [List], steps) => sum(list, steps) },
    to_array: { takes: ['any'], run: ([value]: [unknown]) => (Array.isArray(value) ? value : [value]) },
    to_number: { takes: ['any'], run: ([value]: [unknown]) => toNumber(value) },
    to_string: {
      takes: ['any'],
      run: ([value]: [unknown], steps) => (typeof value === 'string' ? value : writeJson(value, steps)),
    },
    type: { takes: ['any'], run: ([value]: [unknown]) => kindOf(value) },
    values: { takes: [OBJECT], run: ([object]: [object]) => Object.values(object) },
  }),
);

/** Why an expression cannot be used whatever the value is; undefined when it can. */
export function checkCall(name: string, count: number): string | undefined {
  const row = functions.get(name);
  if (!row) return `there is no function '${name}'`;
  const { length } = row.takes;
  if (row.repeats ? count >= length : count === length) return undefined;
  return `'${name}' takes ${row.repeats ? 'at least ' : ''}${length} ${length === 1 ? 'parameter' : 'parameters'}`;
}

export function callFunction(name: string, given: unknown[], steps: Steps): unknown {
  const row = functions.get(name);
  if (!row) throw new QueryFailed(`there is no function '${name}'`);
  for (const [index, value] of given.entries()) {
    const takes = row.takes[index] ?? row.takes[0] ?? 'any';
    const kind = kindOf(value);
    if (takes === 'any' ? kind === 'expression' : !takes.includes(kind))
      throw new QueryFailed(`'${name}' got ${kind} where it takes ${takes === 'any' ? 'a value' : takes.join(' or ')}`);
    steps.spend(sizeOf(value));
  }
  const answer = row.run(given as never, steps);
  steps.spend(sizeOf(answer));
  return answer;
}

/** About the work of looking at a value once; sorting and writing as JSON are within a factor of it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 8;
  if (Array.isArray(value)) return 1 + value.length * 8;
  if (!isObject(value) || value instanceof Reference) return 1;
  return 1 + Object.keys(value).length * 8;
}

function kindOf(value: unknown): Kind {
  if (value instanceof Reference) return 'expression';
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as Kind;
}

function sum(list: List, steps: Steps): number {
  let total = 0;
  for (const item of list) {
    steps.spend();
    if (typeof item !== 'number') throw new QueryFailed(`a list of numbers has ${kindOf(item)}`);
    total += item;
  }
  return total;
}

function textsOf(name: string, list: List): string[] {
  for (const item of list)
    if (typeof item !== 'string') throw new QueryFailed(`'${name}' got a list with ${kindOf(item)}, not only texts`);
  return list as string[];
}

/** Paid part by part: a value that has another one twice, again and again, is far longer as text. */
function writeJson(value: unknown, steps: Steps): string {
  return JSON.stringify(value, (_, one) => {
    steps.spend(typeof one === 'string' ? sizeOf(one) : 1);
    return one;
  });
}

/** Paid before it is built: a long glue between many texts is longer than both. */
function join(glue: string, texts: string[], steps: Steps): string {
  const characters = texts.reduce((sum, text) => sum + text.length, glue.length * Math.max(0, texts.length - 1));
  steps.spend(characters / 8);
  return texts.join(glue);
}

/** Only numbers or only texts can be put in order. */
function checkPlain(name: string, list: List, steps: Steps): void {
  for (const item of list) if (typeof item === 'string') steps.spend(sizeOf(item));
  const kinds = new Set(list.map(kindOf));
  const [kind] = kinds;
  if (kinds.size > 1 || (kind !== undefined && kind !== 'number' && kind !== 'string'))
    throw new QueryFailed(`'${name}' takes only numbers or only texts`);
}

function sortPlain(name: string, list: List, steps: Steps): List {
  checkPlain(name, list, steps);
  return list.toSorted(order);
}

function order(left: unknown, right: unknown): number {
  const [a, b] = [left as number, right as number];
  return a < b ? -1 : a > b ? 1 : 0;
}

function last(list: List): unknown {
  return list.at(-1) ?? null;
}

function extreme(name: string, list: List, by: Reference, sign: 1 | -1, steps: Steps): unknown {
  const keys = list.map((item) => by.find(item));
  checkPlain(name, keys, steps);
  let best = 0;
  for (let at = 1; at < keys.length; at++) if (order(keys[at], keys[best]) * sign > 0) best = at;
  return list[best] ?? null;
}

function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

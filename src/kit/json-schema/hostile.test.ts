import { expect, it } from 'vitest';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { createPrepareBudget, type JsonSchema, prepareSchema } from './index.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const record = <T>(length: number, value: (index: number) => T, prefix = 'p'): Record<string, T> =>
  Object.fromEntries(range(length).map((index) => [prefix + index, value(index)]));

function nest<T>(levels: number, inner: T, wrap: (value: T) => T): T {
  let value = inner;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

/**
 * CPU time, because other tests run at the same time, with room for a machine that is three times as slow as most. Tried again
 * if it was too long: the first try pays for compiling.
 */
function expectWithin(milliseconds: number, work: () => void): void {
  let spent = Infinity;
  for (let attempt = 0; attempt < 3 && spent > milliseconds; attempt++) spent = cpuMsOf(work);
  expect(spent).toBeLessThan(milliseconds);
}

const doubling = (levels: number) => ({
  $ref: '#/$defs/d0',
  $defs: {
    ...record(levels, (i) => ({ allOf: range(2).map(() => ({ $ref: `#/$defs/d${i + 1}` })) }), 'd'),
    [`d${levels}`]: {},
  },
});

it.each<[string, JsonSchema]>([
  ['references that double at each level', doubling(30)],
  ['a reference that leads back to itself', { $ref: '#' }],
  ['two that lead to each other', { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#' }] } } }],
  [
    'a chain of hundreds of references',
    { $ref: '#/$defs/d0', $defs: { ...record(900, (i) => ({ $ref: `#/$defs/d${i + 1}` }), 'd'), d900: {} } },
  ],
  ['a pattern that repeats a repetition', { pattern: '(a{1000}){1000}' }],
  ['more patterns than memory should hold', { properties: record(1500, (i) => ({ pattern: `^[a-z${i}]{1,600}$` })) }],
  ['a union of many thousands', { anyOf: range(11_000).map(() => ({})) }],
])('refuses %s before any value comes', (_name, schema) => expect(prepareSchema(schema)).toBe('too_expensive'));

it('refuses a schema that is nested more deeply than the stack holds', () => {
  const deep = nest<JsonSchema>(20_000, {}, (not) => ({ not }));
  expect(prepareSchema(deep)).toBe('too_expensive');
});

const node = { properties: { a: { $ref: '#' } } };
/** Each level is checked twice, and twice in vain. */
const twice = { anyOf: range(2).map(() => ({ allOf: [node], required: ['z'] })) };

/** Families of schemas and values: each stalled, or would stall, a validator without a budget. */
const families: [string, JsonSchema, unknown][] = [
  [
    'unevaluatedProperties at every level',
    nest<JsonSchema>(60, { properties: record(4000, () => true) }, (inner) => ({
      unevaluatedProperties: false,
      allOf: [inner],
    })),
    record(4000, () => 1),
  ],
  [
    'unevaluatedProperties over a union',
    { anyOf: range(1800).map((i) => ({ properties: record(2, () => true, `q${i}_`) })), unevaluatedProperties: false },
    record(20_000, () => 1),
  ],
  [
    'unevaluatedItems over contains',
    { anyOf: range(3000).map((i) => ({ contains: { const: i } })), unevaluatedItems: false },
    range(20_000),
  ],
  [
    'a union of itself over deep data',
    { anyOf: range(20).map(() => node), not: { required: ['z'] }, required: ['a'] },
    nest<unknown>(60, 1, (a) => ({ a })),
  ],
  ['a recursion that tries everything twice', twice, nest<unknown>(60, 1, (a) => ({ a }))],
  [
    'a large enum of objects',
    { items: { enum: range(9000).map((i) => ({ a: i })) } },
    range(1000).map(() => ({ a: 8999 })),
  ],
  ['uniqueItems on many numbers', { uniqueItems: true }, range(100_000)],
  [
    'uniqueItems at every level',
    { uniqueItems: true, items: { $ref: '#' } },
    nest<unknown>(400, 1, (inner) => [inner, 'x'.repeat(1000)]),
  ],
  [
    'uniqueItems thousands of times',
    { allOf: range(5000).map(() => ({ uniqueItems: true })) },
    range(1000).map((i) => ({ [`k${i}`]: 'x'.repeat(500) })),
  ],
  [
    'many patterns for many names',
    { patternProperties: Object.fromEntries(range(2000).map((i) => [`^(a+)+${i}$`, true])) },
    record(10_000, () => 1, 'a'.repeat(24)),
  ],
  [
    'many alternatives for many names',
    { propertyNames: { anyOf: range(2000).map((i) => ({ pattern: `x${i}` })) } },
    record(10_000, () => 1),
  ],
  [
    'contains thousands of times',
    { allOf: range(4000).map(() => ({ contains: {} })), contains: { const: -1 } },
    range(100_000),
  ],
  [
    'dependentSchemas for every name',
    { dependentSchemas: record(1500, (i) => ({ required: [`p${i}`] })) },
    record(10_000, () => 1),
  ],
  ['a dynamic reference to itself', { $dynamicAnchor: 'n', allOf: [{ $dynamicRef: '#n' }] }, 1],
  [
    'dynamic references over deep data',
    { $dynamicAnchor: 'n', anyOf: range(3).map(() => ({ properties: { a: { $dynamicRef: '#n' } }, not: {} })) },
    nest<unknown>(60, 1, (a) => ({ a })),
  ],
  ['a pattern that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(200_000)}!`],
  ['a large pattern', { pattern: '(x?){8000}y' }, 'x'.repeat(50_000)],
  ['hundreds of lookarounds', { pattern: '(?=.*a)(?=.*b)(?!.*c)(?<=^x*)'.repeat(300) }, 'x'.repeat(50_000)],
  ['thousands of properties of characters', { pattern: '[\\p{L}]'.repeat(14_000) }, 'é'.repeat(1000)],
  ['a pattern with a back reference', { pattern: '^(a+)+\\1$' }, `${'a'.repeat(60)}!`],
  [
    'meta-schemas',
    { allOf: range(1000).map(() => ({ $ref: 'https://json-schema.org/draft/2020-12/schema' })) },
    { properties: record(5000, () => ({ type: 'string' })) },
  ],
  [
    'data that is nested a hundred thousand times',
    { items: { $ref: '#' } },
    JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)),
  ],
  [
    'a long text counted thousands of times',
    { allOf: range(4000).map(() => ({ minLength: 600_000 })) },
    'x'.repeat(1_000_000),
  ],
  [
    'a long text of surrogates counted thousands of times',
    { allOf: range(4000).map(() => ({ minLength: 400_000 })) },
    `x${'😀'.repeat(400_000)}`,
  ],
];

it.each(families)('spends no more than a moment on %s', (_name, schema, value) => {
  let title = 0;
  expectWithin(200, () => void prepareSchema({ ...schema, title: `${title++}` }));
  const prepared = prepareSchema(schema);
  if (typeof prepared === 'string') throw new Error(prepared);
  expectWithin(300, () => void prepared.check(value));
});

it('says that a check was too expensive, and not that the value is wrong', () => {
  const prepared = prepareSchema(twice);
  if (typeof prepared === 'string') throw new Error(prepared);
  expect(prepared.check(nest<unknown>(5, 1, (a) => ({ a, z: 1 })))).toBe('valid');
  expect(prepared.check(nest<unknown>(5, 1, (a) => ({ a })))).toBe('invalid');
  expect(prepared.check(nest<unknown>(60, 1, (a) => ({ a })))).toBe('too_expensive');
});

it('reads new schemas of one request only until their common budget is spent', () => {
  const make = (i: number): JsonSchema => ({ anyOf: range(3000).map(() => ({})), title: `of one request ${i}` });
  const budget = createPrepareBudget();
  const prepared = range(40).map((i) => prepareSchema(make(i), budget));
  expect(prepared[0]).toBeTypeOf('object');
  expect(prepared.at(-1)).toBe('too_expensive');
  expect(prepareSchema(make(0), budget)).toBe(prepared[0]);
  expect(prepareSchema(make(39))).toBeTypeOf('object');
});

it('takes a large value that its schema checks in one pass', () => {
  const schema = { items: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } };
  const prepared = prepareSchema(schema);
  if (typeof prepared === 'string') throw new Error(prepared);
  expect(prepared.check(range(200_000).map((a) => ({ a })))).toBe('valid');
});

import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { type JsonSchema, prepareSchema } from './index.ts';

const NAMES = ['a', 'b', 'c'];
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
const name = fc.constantFrom(...NAMES);
const few = fc.integer({ min: 0, max: 3 });

const generated = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, 1.5, -1, '', 'a', 'ab', 'abc', '😀'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;
// Ajv tells objects without a prototype from others; JSON has none.
const value = generated.map((given): unknown => JSON.parse(JSON.stringify(given)));

/** Keywords with values that may also be wrong: what Ajv refuses, we refuse. */
function keywordsOf(schema: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(name, schema, { maxKeys: 3 });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  return {
    type: fc.oneof(
      fc.constantFrom(...TYPES),
      fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }),
    ),
    const: value,
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (given) => JSON.stringify(given) }),
    minimum: few,
    maximum: few,
    exclusiveMinimum: few,
    exclusiveMaximum: few,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: few,
    maxLength: few,
    pattern: fc.constantFrom('^a', 'b$', '^(a|b)*$', 'c', '^\\p{L}+$', '^(?=a).{2}'),
    minItems: few,
    maxItems: few,
    uniqueItems: fc.boolean(),
    minProperties: few,
    maxProperties: few,
    required: names,
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), schema, { maxKeys: 2 }),
    additionalProperties: schema,
    propertyNames: schema,
    items: schema,
    contains: schema,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: schema,
    else: schema,
    $ref: fc.constantFrom('#/$defs/x', '#/$defs/y', '#/$defs/z'),
  };
}

const newerKeywords = (schema: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> => ({
  ...keywordsOf(schema),
  prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }),
  minContains: few,
  maxContains: few,
  dependentSchemas: fc.dictionary(name, schema, { maxKeys: 2 }),
  dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
  unevaluatedProperties: schema,
  unevaluatedItems: schema,
});

// Beside a list of items, Ajv finds that an empty list contains anything; the standard differs.
const olderKeywords = (schema: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> => ({
  ...withoutContains(keywordsOf(schema)),
  items: fc.oneof(schema, fc.array(schema, { minLength: 1, maxLength: 2 })),
  additionalItems: schema,
  dependencies: fc.dictionary(name, fc.oneof(schema, fc.uniqueArray(name, { maxLength: 2 })), { maxKeys: 2 }),
});

function schemaOf(keywords: typeof keywordsOf): fc.Arbitrary<JsonSchema> {
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(fc.boolean(), fc.record({ type: fc.constantFrom(...TYPES) }), fc.constant({})),
      subset(keywords(tie('schema'))),
    ),
  }));
  // Only the root refers, so that no reference leads back to itself.
  const flat = subset(withoutReferences(keywords(fc.record({ type: fc.constantFrom(...TYPES) }))));
  return fc
    .tuple(subset(keywords(schema)), flat, flat, flat)
    .map(([root, x, y, z]) => ({ ...root, $defs: { x, y, z } }));
}

function withoutContains({ contains: _, ...rest }: Record<string, fc.Arbitrary<unknown>>) {
  return rest;
}

function withoutReferences({ $ref: _, ...rest }: Record<string, fc.Arbitrary<unknown>>) {
  return rest;
}

/** Up to four of the keywords. */
function subset(keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 4 })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, keywords[key] as fc.Arbitrary<unknown>]))));
}

const settings: Options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false };
const newest = new Ajv2020(settings);

/** Ajv counts all items as evaluated once `contains` was there, and none by an `if` without branches; the standard differs. */
function isReadDifferently(schema: unknown): boolean {
  const text = JSON.stringify(schema);
  return /"unevaluated/.test(text) && (/"contains"/.test(text) || /"if"/.test(text));
}

it.each([
  { draft: 'draft 2020-12', make: newerKeywords, ajv: newest, dialect: {} },
  {
    draft: 'draft 7',
    make: olderKeywords,
    ajv: new Ajv(settings),
    dialect: { $schema: 'http://json-schema.org/draft-07/schema#' },
  },
])('has the same verdict as Ajv on generated schemas and values of $draft', ({ make, ajv, dialect }) => {
  let compared = 0;
  fc.assert(
    fc.property(schemaOf(make), fc.array(value, { minLength: 5, maxLength: 5 }), (schema, values) => {
      fc.pre(!isReadDifferently(schema));
      const expected = ajv.compile(schema);
      const prepared = prepareSchema({ ...dialect, ...schema });
      if (typeof prepared === 'string') throw new Error(prepared);
      for (const given of values) {
        compared += 1;
        expect([given, prepared.check(given)]).toEqual([given, expected(given) ? 'valid' : 'invalid']);
        expect(prepared.explain(given).length > 0).toBe(!expected(given));
      }
    }),
    { numRuns: rounds(150, 2000) },
  );
  expect(compared).toBeGreaterThan(0);
});

const wrong = fc.constantFrom<unknown>(null, 1, -1, 1.5, 'x', true, [], [1], ['a', 'a'], {}, { a: 1 }, [{}], '(');

it('refuses the same malformed schemas as Ajv', () => {
  const keys = Object.keys(newerKeywords(fc.constant({})));
  fc.assert(
    fc.property(fc.constantFrom(...keys), wrong, fc.constantFrom('root', 'inside', 'unused'), (key, given, place) => {
      const part = { [key]: given };
      const schema = place === 'root' ? part : place === 'inside' ? { items: part } : { $defs: { part } };
      let isValid = true;
      try {
        newest.compile(schema);
      } catch {
        isValid = false;
      }
      expect([schema, typeof prepareSchema(schema) === 'object']).toEqual([schema, isValid]);
    }),
    { numRuns: rounds(200, 3000) },
  );
});

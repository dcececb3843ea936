import fc from 'fast-check';

type Schema = Record<string, unknown>;

/** A schema with a matching value. */
export type Sample = { schema: Schema; value: unknown };

const sampleOf = (schema: Schema) => (value: unknown) => ({ schema, value });

/** Schemas that a grammar can express. */
const plainLeaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.string({ maxLength: 8 }).map(sampleOf({ type: 'string', maxLength: 8 })),
  fc.string({ minLength: 2, maxLength: 5 }).map(sampleOf({ type: 'string', minLength: 2, maxLength: 10 })),
  fc.integer({ min: -5, max: 5 }).map(sampleOf({ type: 'integer', minimum: -5, maximum: 5 })),
  fc.integer({ min: 11, max: 299 }).map(sampleOf({ type: 'integer', exclusiveMinimum: 10, exclusiveMaximum: 300 })),
  fc.constantFrom(0, 0.5, 1).map(sampleOf({ type: 'number', minimum: 0, maximum: 1 })),
  fc.constantFrom('a', 'b', 3, null, '"\\é').map(sampleOf({ enum: ['a', 'b', 3, null, '"\\é'] })),
  fc.constantFrom('x', true, 0, null, ['y'], { z: 1 }).map((value) => ({ schema: { const: value }, value })),
  fc.stringMatching(/^[a-f]{2,4}-\d{1,3}$/).map(sampleOf({ type: 'string', pattern: '^[a-f]{2,4}-\\d{1,3}$' })),
  fc.constantFrom('2026-02-28', '1999-12-01').map(sampleOf({ type: 'string', format: 'date' })),
  fc.boolean().map(sampleOf({ type: 'boolean' })),
  fc.option(fc.integer({ min: 0, max: 9 })).map(sampleOf({ type: ['integer', 'null'], minimum: 0, maximum: 9 })),
);

/** Schemas that no grammar can express, so that the reply must be checked. */
const checkedLeaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.constantFrom('c', 'd', 'ef').map(sampleOf({ type: 'string', maxLength: 3, not: { enum: ['a', 'b'] } })),
  fc
    .uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 2, maxLength: 3 })
    .map(
      sampleOf({ type: 'array', items: { type: 'integer', minimum: 0, maximum: 99 }, maxItems: 3, uniqueItems: true }),
    ),
  fc
    .constantFrom([1, 'x'], ['x'], ['x', 2])
    .map(sampleOf({ type: 'array', items: { enum: [1, 2, 'x'] }, maxItems: 3, contains: { const: 'x' } })),
  fc.constantFrom('ab', 'abab').map(sampleOf({ type: 'string', pattern: '^(ab)+$', maxLength: 4 })),
  fc.constantFrom({}, { a: 1, b: 2 }).map(
    sampleOf({
      type: 'object',
      properties: { a: { type: 'integer', maximum: 9 }, b: { type: 'integer', maximum: 9 } },
      dependentRequired: { a: ['b'] },
      additionalProperties: false,
    }),
  ),
);

const name = fc.stringMatching(/^[a-z]{1,6}$/);

function nested(leaf: fc.Arbitrary<Sample>, maxDepth: number): fc.Arbitrary<Sample> {
  return fc.letrec<{ sample: Sample }>((tie) => ({
    sample: fc.oneof(
      { maxDepth, withCrossShrink: true },
      leaf,
      fc.array(tie('sample'), { minLength: 1, maxLength: 3 }).map((samples) => ({
        schema: { type: 'array', items: { anyOf: samples.map(({ schema }) => schema) }, minItems: 1, maxItems: 3 },
        value: samples.map(({ value }) => value),
      })),
      fc.tuple(tie('sample'), leaf).map(([chosen, other]) => ({
        schema: { anyOf: [other.schema, chosen.schema] },
        value: chosen.value,
      })),
      fc.tuple(tie('sample'), fc.boolean()).map(([chosen, isThere]) => ({
        schema: { type: 'object', properties: { maybe: chosen.schema }, additionalProperties: false },
        value: isThere ? { maybe: chosen.value } : {},
      })),
      fc.dictionary(name, tie('sample'), { maxKeys: 3 }).map(objectOf),
    ),
  })).sample;
}

function objectOf(fields: Record<string, Sample>): Sample {
  const names = Object.keys(fields);
  const schemas = Object.fromEntries(names.map((key) => [key, fields[key]?.schema]));
  const value = Object.fromEntries(names.map((key) => [key, fields[key]?.value]));
  return { schema: { type: 'object', properties: schemas, required: names, additionalProperties: false }, value };
}

/** The parameters of a tool: an object whose first property is a reference. */
function parametersOf(part: fc.Arbitrary<Sample>, maxKeys: number): fc.Arbitrary<Sample> {
  return fc.dictionary(name, part, { minKeys: 1, maxKeys }).map((fields) => {
    const { schema, value } = objectOf(fields);
    const [first = ''] = Object.keys(fields);
    const properties = { ...(schema.properties as object), [first]: { $ref: '#/$defs/part' } };
    return { schema: { ...schema, properties, $defs: { part: fields[first]?.schema } }, value };
  });
}

/** A recursive list. */
const recursive: fc.Arbitrary<Sample> = fc.constantFrom({ next: null }, { next: { next: null } }).map((tree) => ({
  schema: {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/tree' } },
    required: ['tree'],
    additionalProperties: false,
    $defs: {
      tree: {
        type: 'object',
        properties: { next: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/tree' }] } },
        required: ['next'],
        additionalProperties: false,
      },
    },
  },
  value: { tree },
}));

export const toolParameters = fc.oneof(
  { weight: 19, arbitrary: parametersOf(nested(fc.oneof(plainLeaf, checkedLeaf), 2), 3) },
  { weight: 1, arbitrary: recursive },
);

/** Small, for a real model. `isChecked`: a grammar cannot express all of it. */
export const smallToolParameters: fc.Arbitrary<Sample & { isChecked: boolean }> = fc.oneof(
  { weight: 4, arbitrary: mark(parametersOf(plainLeaf, 2), false) },
  { weight: 4, arbitrary: mark(parametersOf(nested(plainLeaf, 1), 1), false) },
  { weight: 3, arbitrary: mark(parametersOf(checkedLeaf, 1), true) },
  { weight: 1, arbitrary: mark(recursive, false) },
);

function mark(samples: fc.Arbitrary<Sample>, isChecked: boolean): fc.Arbitrary<Sample & { isChecked: boolean }> {
  return samples.map((sample) => ({ ...sample, isChecked }));
}

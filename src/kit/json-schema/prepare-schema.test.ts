import { expect, it } from 'vitest';
import { type JsonSchema, prepareSchema, type Validator } from './index.ts';

function prepare(schema: JsonSchema): Validator {
  const prepared = prepareSchema(schema);
  if (typeof prepared === 'string') throw new Error(prepared);
  return prepared;
}

it('checks values by the schema', () => {
  const { check } = prepare({ type: 'object', properties: { a: { type: 'string', pattern: '^x+$' } } });
  expect(check({ a: 'xx' })).toBe('valid');
  expect(check({ a: 'y' })).toBe('invalid');
});

it('reads a schema once, whoever sends it', () => {
  expect(prepareSchema({ type: 'object', title: 'once' })).toBe(prepareSchema({ type: 'object', title: 'once' }));
});

it.each([
  [{ type: 'nothing' }],
  [{ $ref: '#/$defs/missing' }],
  [{ properties: { a: 1 } }],
  [{ type: 'string', pattern: '(' }],
  [{ $ref: 'https://elsewhere.example/schema.json' }],
  [{ anyOf: [] }],
  [{ minLength: -1 }],
  [{ required: 'a' }],
  [{ $defs: { unused: { type: 5 } } }],
])('refuses %j, which is no schema', (schema) => expect(prepareSchema(schema)).toBe('invalid'));

it.each([
  ['draft 7 with a list of items', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
  ['an unknown format and keyword', { type: 'string', format: 'petname', 'x-order': 1 }],
  ['two schemas of one $id', { $id: 'https://a.example/x', type: 'string' }],
  ['the other of that $id', { $id: 'https://a.example/x', type: 'number' }],
  ['a needless escape, which Unicode mode forbids', { type: 'string', pattern: '^a\\-b$' }],
  ['a broken reference that nothing uses', { $defs: { unused: { $ref: '#/missing' } } }],
  ['a reference to itself by its own address', { $id: 'https://a.example/y', items: { $ref: 'https://a.example/y' } }],
])('takes %s', (_name, schema) => expect(prepareSchema(schema)).toBeTypeOf('object'));

it('refuses a schema that is larger than its limit', () => {
  expect(prepareSchema({ type: 'string', enum: ['x'.repeat(300_000)] })).toBe('invalid');
});

it('keeps no reference to the object it was made from', () => {
  const schema = { type: 'object', title: 'changed later', required: ['a'] };
  const { check } = prepare(schema);
  schema.required.push('b');
  expect(check({ a: 1 })).toBe('valid');
});

it.each([
  [{ type: 'string' }, 1, 'type', '', 'must be string'],
  [{ type: ['string', 'null'] }, 1, 'type', '', 'must be null,string'],
  [{ required: ['a'] }, {}, 'required', '', "must have required property 'a'"],
  [{ properties: { 'a/b': { minimum: 3 } } }, { 'a/b': 1 }, 'minimum', '/a~1b', 'must be >= 3'],
  [{ items: { enum: [1] } }, [1, 2], 'enum', '/1', 'must be equal to one of the allowed values'],
  [{ additionalProperties: false }, { x: 1 }, 'additionalProperties', '', 'must NOT have additional properties'],
  [{ anyOf: [{ type: 'null' }] }, 1, 'type', '', 'must be null'],
  [{ oneOf: [true, true] }, 1, 'oneOf', '', 'must match exactly one schema in oneOf'],
  [{ not: {} }, 1, 'not', '', 'must NOT be valid'],
])('says what is wrong: %j does not fit %j', (schema, value, keyword, instancePath, message) => {
  expect(prepare(schema).explain(value)[0]).toMatchObject({ keyword, instancePath, message });
});

it('forgets the mistakes of branches that do not matter', () => {
  const schema = { anyOf: [{ type: 'null' }, { type: 'number' }], not: { const: 2 }, minimum: 5 };
  expect(
    prepare(schema)
      .explain(1)
      .map(({ keyword }) => keyword),
  ).toEqual(['minimum']);
});

it('checks by a published meta-schema without fetching it', () => {
  const { check } = prepare({ $ref: 'https://json-schema.org/draft/2020-12/schema' });
  expect(check({ $defs: { a: { type: 'string' } } })).toBe('valid');
  expect(check({ $defs: { a: { type: 1 } } })).toBe('invalid');
});

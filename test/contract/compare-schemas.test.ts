import { describe, expect, it } from 'vitest';
import { compareComponents, type DifferenceKind } from './compare-schemas.ts';
import type { Schema } from './json-schema.ts';

function differencesOf(ours: Record<string, Schema>, theirs: Record<string, Schema>) {
  return compareComponents({ components: { schemas: ours } }, { components: { schemas: theirs } });
}

function compareField(ours: Schema, theirs: Schema) {
  const wrap = (field: Schema): Schema => ({ type: 'object', properties: { field }, additionalProperties: false });
  return differencesOf({ Thing: wrap(ours) }, { Thing: wrap(theirs) }).map(({ at, kind }) => `${kind} ${at}`);
}

function object(properties: Record<string, Schema>, more: Schema = {}): Schema {
  return { type: 'object', properties, additionalProperties: false, ...more };
}

const text: Schema = { type: 'string' };
const int32 = { minimum: -2147483648, maximum: 2147483647 };
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

describe('two spellings of one schema are the same', () => {
  it.each<[string, Schema, Schema]>([
    ['nullable', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['a union with null', { anyOf: [text, { type: 'null' }] }, { type: 'string', nullable: true }],
    ['an enum with null', { enum: ['a', null] }, { anyOf: [{ const: 'a' }, { type: 'null' }] }],
    ['a constant', { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] }],
    ['constants', { anyOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'string', enum: ['b', 'a'] }],
    ['both booleans', { type: 'boolean', enum: [true, false] }, { type: 'boolean' }],
    ['oneOf and anyOf', { oneOf: [text, { type: 'integer' }] }, { anyOf: [{ type: 'integer' }, text] }],
    ['several types', { type: ['string', 'integer'] }, { anyOf: [text, { type: 'integer' }] }],
    ['nested unions', { anyOf: [{ anyOf: [text, { type: 'null' }] }] }, { type: ['string', 'null'] }],
    ['safe integers', { type: 'integer', ...safe }, { type: 'integer' }],
    ['int32', { type: 'integer', ...int32 }, { type: 'integer', format: 'int32' }],
    ['positive integers', { type: 'integer', exclusiveMinimum: 0 }, { type: 'integer', minimum: 1 }],
    [
      'a format with its pattern',
      { type: 'string', format: 'uuid', pattern: '^x$' },
      { type: 'string', format: 'uuid' },
    ],
    ['a format alone', { type: 'string', format: 'date-time' }, text],
    ['anything', {}, { anyOf: [{}, { type: 'null' }] }],
    ['a null default', { anyOf: [text, { type: 'null' }], default: null }, { anyOf: [text, { type: 'null' }] }],
    ['a free object', { type: 'object', additionalProperties: {} }, { type: 'object', additionalProperties: true }],
    ['an unspecified free object', { type: 'object', additionalProperties: {} }, { type: 'object' }],
    ['a wrapped reference', { enum: ['a'], default: 'a' }, { allOf: [{ enum: ['a'] }], default: 'a' }],
    ['a list of anything', { type: 'array', items: {} }, { type: 'array' }],
  ])('%s', (_, ours, theirs) => {
    expect(compareField(ours, theirs)).toEqual([]);
    expect(compareField(theirs, ours)).toEqual([]);
  });

  it('an inlined component and a reference to it', () => {
    const named = {
      Thing: object({ field: { $ref: '#/components/schemas/Other', nullable: true } as Schema }),
      Other: text,
    };
    expect(differencesOf({ Thing: object({ field: { type: ['string', 'null'] } }) }, named)).toEqual([]);
  });

  it('a reference into local $defs', () => {
    const local = object({ field: { $ref: '#/$defs/Part' } }, { $defs: { Part: object({ a: text }) } });
    expect(differencesOf({ Thing: object({ field: object({ a: text }) }) }, { Thing: local })).toEqual([]);
  });

  it('an intersection and the object that it makes', () => {
    const base = object({ a: text, stream: { type: 'boolean' } }, { required: ['a'] });
    const narrowed: Schema = { properties: { stream: { type: 'boolean', const: false } }, required: ['stream'] };
    const theirs = { Base: base, Thing: { allOf: [{ $ref: '#/components/schemas/Base' }, narrowed] } };
    const whole = object({ a: text, stream: { enum: [false] } }, { required: ['stream', 'a'] });
    expect(differencesOf({ Thing: whole }, theirs)).toEqual([]);
  });

  it('a union beside shared properties and the alternatives written out', () => {
    const theirs: Schema = object({ flag: { type: 'boolean' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] });
    const ours: Schema = {
      anyOf: [
        object({ flag: { type: 'boolean' } }, { required: ['b'] }),
        object({ flag: { type: 'boolean' } }, { required: ['a'] }),
      ],
    };
    expect(differencesOf({ Thing: ours }, { Thing: theirs })).toEqual([]);
  });

  it('a schema that contains itself under another name', () => {
    const tree = (name: string): Schema => object({ children: { type: 'array', items: { $ref: name } } });
    const ours = { Thing: tree('#/components/schemas/Thing') };
    const theirs = { Thing: tree('#/components/schemas/Node'), Node: tree('#/components/schemas/Node') };
    expect(differencesOf(ours, theirs)).toEqual([]);
  });
});

describe('planted differences are reported', () => {
  it.each<[DifferenceKind, string, Schema, Schema]>([
    ['type', 'Thing.field', text, { type: 'integer' }],
    ['type', 'Thing.field', {}, text],
    ['type', 'Thing.field[]', { type: 'array', items: text }, { type: 'array', items: { type: 'number' } }],
    ['type', 'Thing.field', { type: 'array', prefixItems: [text] }, { type: 'array', prefixItems: [text, text] }],
    [
      'type',
      'Thing.field[0]',
      { type: 'array', prefixItems: [text] },
      { type: 'array', prefixItems: [{ type: 'number' }] },
    ],
    ['nullable', 'Thing.field', text, { type: ['string', 'null'] }],
    ['default', 'Thing.field', { type: 'integer', default: 1 }, { type: 'integer', default: 2 }],
    ['default', 'Thing.field', text, { type: 'string', default: '' }],
    ['limit', 'Thing.field:minimum', { type: 'integer', minimum: 1 }, { type: 'integer' }],
    ['limit', 'Thing.field:maximum', { type: 'number', maximum: 1 }, { type: 'number', maximum: 1.5 }],
    ['limit', 'Thing.field:exclusiveMinimum', { type: 'number', exclusiveMinimum: 0 }, { type: 'number' }],
    ['limit', 'Thing.field:exclusiveMaximum', { type: 'number' }, { type: 'number', exclusiveMaximum: 9 }],
    ['limit', 'Thing.field:multipleOf', { type: 'number', multipleOf: 2 }, { type: 'number' }],
    ['limit', 'Thing.field:minLength', { type: 'string', minLength: 1 }, text],
    ['limit', 'Thing.field:maxLength', text, { type: 'string', maxLength: 64 }],
    ['limit', 'Thing.field:pattern', { type: 'string', pattern: '^a$' }, { type: 'string', pattern: '^b$' }],
    ['limit', 'Thing.field:minItems', { type: 'array', minItems: 1 }, { type: 'array' }],
    ['limit', 'Thing.field:maxItems', { type: 'array' }, { type: 'array', maxItems: 3 }],
    ['enum', 'Thing.field', { enum: ['a', 'b'] }, { enum: ['a', 'c'] }],
    ['enum', 'Thing.field', text, { enum: ['a'] }],
    ['missing-alternative', 'Thing.field(array)', text, { anyOf: [text, { type: 'array' }] }],
    ['added-alternative', 'Thing.field(array)', { anyOf: [text, { type: 'array' }] }, text],
    ['openness', 'Thing.field', object({ a: text }), object({ a: text }, { additionalProperties: true })],
    ['openness', 'Thing.field', object({ a: text }, { additionalProperties: {} }), object({ a: text })],
    ['openness', 'Thing.field', { type: 'object', additionalProperties: text }, { type: 'object' }],
    [
      'type',
      'Thing.field{}',
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: { type: 'number' } },
    ],
    ['closed-here', 'Thing.field', object({ a: text }), { type: 'object', properties: { a: text } }],
    ['openness', 'Thing.field', object({}), { type: 'object' }],
    ['missing-property', 'Thing.field.b', object({ a: text }), object({ a: text, b: text })],
    ['added-property', 'Thing.field.b', object({ a: text, b: text }), object({ a: text })],
    ['required', 'Thing.field.a', object({ a: text }), object({ a: text }, { required: ['a'] })],
  ])('%s at %s', (kind, at, ours, theirs) => {
    expect(compareField(ours, theirs)).toEqual([`${kind} ${at}`]);
  });

  it('every limit of a place by itself', () => {
    const found = compareField({ type: 'string', minLength: 1 }, { type: 'string', maxLength: 9 });
    expect(found).toEqual(['limit Thing.field:minLength', 'limit Thing.field:maxLength']);
  });

  it('inside the alternative that the constant names, not inside its neighbour', () => {
    const kind = (type: string, properties = {}) => object({ type: { const: type }, ...properties });
    const found = compareField(
      { oneOf: [kind('b', { x: text }), kind('a')] },
      { oneOf: [kind('a', { y: text }), kind('b', { x: { type: 'number' } }), kind('c')] },
    );
    expect(found.sort()).toEqual([
      'missing-alternative Thing.field(c)',
      'missing-property Thing.field(a).y',
      'type Thing.field(b).x',
    ]);
  });

  it('a component once, not at each of its uses', () => {
    const reference = { $ref: '#/components/schemas/Part' };
    const thing = object({ one: reference, other: { anyOf: [reference, { type: 'null' }] } });
    const found = differencesOf({ Thing: thing, Part: object({ a: text }) }, { Thing: thing, Part: object({}) });
    expect(found).toMatchObject([{ at: 'Part.a', kind: 'added-property' }]);
  });

  it('a component that the twin refers to by another name', () => {
    const thing = (name: string) => object({ part: { $ref: `#/components/schemas/${name}` } });
    const found = differencesOf(
      { Thing: thing('Mine'), Mine: object({ a: text }) },
      { Thing: thing('Theirs'), Theirs: object({ a: { type: 'integer' } }) },
    );
    expect(found).toMatchObject([{ at: 'Thing.part.a', kind: 'type' }]);
  });

  it('a reference that leads nowhere', () => {
    expect(() => compareField({ $ref: '#/components/schemas/Lost' }, text)).toThrow('Lost');
  });

  it('nothing about a component that has no twin', () => {
    expect(differencesOf({ OnlyOurs: text }, { OnlyTheirs: text })).toEqual([]);
  });
});

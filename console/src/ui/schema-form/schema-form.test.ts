import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Draft, draftOf, type ListDraft, type ObjectDraft, type VariantDraft } from './drafts.ts';
import type { JsonSchema } from './fields.ts';
import { readDraft } from './read-draft.ts';
import { readSchema } from './read-schema.ts';

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;

/** Fills in the form of a schema and reads its value. */
function fill(schema: JsonSchema, given: Record<string, Draft>) {
  const field = readSchema(schema);
  const { properties } = draftOf(field, undefined, true) as ObjectDraft;
  return readDraft(field, { properties: { ...properties, ...given } });
}

describe('a form of a schema', () => {
  it('asks for each property by its type', () => {
    const field = readSchema(
      schemaOf(
        z.object({
          name: z.string().min(2).describe('Who it is for'),
          cents: z.int().min(1),
          express: z.boolean(),
          size: z.enum(['small', 'large']).optional(),
          when: z.iso.datetime().optional(),
          lines: z.array(z.object({ sku: z.string() })),
          address: z.object({ city: z.string() }).optional(),
          extra: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    );
    expect(
      field.kind === 'object' && field.properties.map(({ name, isRequired, field }) => [name, field.kind, isRequired]),
    ).toEqual([
      ['name', 'text', true],
      ['cents', 'number', true],
      ['express', 'boolean', true],
      ['size', 'choice', false],
      ['when', 'text', false],
      ['lines', 'list', true],
      ['address', 'object', false],
      ['extra', 'json', false],
    ]);
    expect(field.kind === 'object' && field.properties[0]?.field).toMatchObject({
      description: 'Who it is for',
      minLength: 2,
    });
    expect(field.kind === 'object' && field.properties[1]?.field).toMatchObject({ min: 1, max: undefined });
  });

  it('returns the filled-in value and omits empty fields', () => {
    const schema = schemaOf(
      z.object({
        name: z.string(),
        cents: z.number(),
        express: z.boolean(),
        size: z.enum(['small', 'large']).optional(),
        address: z.object({ city: z.string() }).optional(),
        extra: z.record(z.string(), z.unknown()).optional(),
      }),
    );
    expect(fill(schema, { name: 'Ada', cents: '12.5', size: '1', extra: '{"a":1}' })).toEqual({
      value: { name: 'Ada', cents: 12.5, express: false, size: 'large', extra: { a: 1 } },
      problems: {},
    });
  });

  it('reports problems by path', () => {
    const schema = schemaOf(
      z.object({
        name: z.string(),
        code: z.string().regex(/^[A-Z]+$/),
        mail: z.email(),
        cents: z.int().min(1),
        lines: z.array(z.object({ sku: z.string().max(3) })).min(2),
        extra: z.any(),
        address: z.object({ city: z.string(), street: z.string() }).optional(),
      }),
    );
    const lines: ListDraft = { items: [{ id: 1, draft: { properties: { sku: 'toolong' } } }] };
    const { problems } = fill(schema, {
      code: 'a1',
      mail: 'nobody',
      cents: '0.5',
      lines,
      extra: '{',
      address: { properties: { city: 'Paris', street: '' } },
    });
    expect(problems).toEqual({
      name: 'Required.',
      code: 'This must match ^[A-Z]+$',
      mail: 'This must be an e-mail address.',
      cents: 'This must be a whole number.',
      lines: 'At least 2 entries.',
      'lines.0.sku': 'At most 3 characters; this has 7.',
      extra: expect.stringContaining('Invalid JSON'),
      'address.street': 'Required.',
    });
  });

  it('offers the variants of a union, labelled by their discriminator', () => {
    const schema = schemaOf(
      z.object({
        pay: z.discriminatedUnion('by', [
          z.object({ by: z.literal('card'), number: z.string() }),
          z.object({ by: z.literal('invoice'), days: z.int() }),
        ]),
        note: z.union([z.string(), z.number()]),
      }),
    );
    const field = readSchema(schema);
    const pay = field.kind === 'object' ? field.properties[0]?.field : undefined;
    expect(pay?.kind === 'variants' && pay.options.map(({ label }) => label)).toEqual(['card', 'invoice']);
    const picked: VariantDraft = { picked: 1, draft: { properties: { by: '', days: '30' } } };
    expect(fill(schema, { pay: picked, note: { picked: 1, draft: '7' } })).toEqual({
      value: { pay: { by: 'invoice', days: 30 }, note: 7 },
      problems: {},
    });
  });

  it('supports null, references, allOf and recursive schemas', () => {
    const field = readSchema({
      type: 'object',
      required: ['a', 'b', 'c', 'tree'],
      properties: {
        a: { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'A' },
        b: { $ref: '#/$defs/B' },
        c: { type: ['integer', 'null'] },
        d: {
          oneOf: [
            { const: 1, title: 'One' },
            { const: 2, title: 'Two' },
          ],
        },
        e: {
          allOf: [{ $ref: '#/$defs/Base' }, { properties: { y: { type: 'string' } }, required: ['y'] }],
        },
        tree: { $ref: '#/$defs/Tree' },
      },
      $defs: {
        B: { enum: ['x', 'y', null], description: 'b' },
        Base: { type: 'object', properties: { x: { type: 'string' } } },
        Tree: { type: 'object', properties: { left: { $ref: '#/$defs/Tree' }, name: { type: 'string' } } },
      },
    });
    if (field.kind !== 'object') throw new Error('not an object');
    const of = (name: string) => field.properties.find((property) => property.name === name)?.field;
    expect(of('a')).toMatchObject({ kind: 'text', isNullable: true, title: 'A' });
    expect(of('b')).toMatchObject({ kind: 'choice', isNullable: true, description: 'b' });
    expect(of('c')).toMatchObject({ kind: 'number', isInteger: true, isNullable: true });
    expect(of('d')).toMatchObject({
      kind: 'choice',
      options: [
        { label: 'One', value: 1 },
        { label: 'Two', value: 2 },
      ],
    });
    expect(of('e')).toMatchObject({ kind: 'object', properties: [{ name: 'x' }, { name: 'y', isRequired: true }] });
    expect(of('tree')).toMatchObject({
      kind: 'object',
      properties: [{ name: 'left', field: { kind: 'json' } }, { name: 'name' }],
    });
    const draft = draftOf(field, undefined, true) as ObjectDraft;
    expect(readDraft(field, draft)).toEqual({ value: { a: null, b: null, c: null, tree: {} }, problems: {} });
  });

  it('round-trips a value', () => {
    const schema = schemaOf(
      z.object({
        name: z.string(),
        size: z.enum(['small', 'large']),
        tags: z.array(z.string()),
        at: z.iso.datetime(),
        pay: z.union([z.object({ by: z.literal('card') }), z.object({ by: z.literal('invoice'), days: z.int() })]),
        free: z.unknown(),
        on: z.boolean().optional(),
      }),
    );
    const value = {
      name: 'Ada',
      size: 'large',
      tags: ['a', 'b'],
      at: '2026-01-31T12:30:00.000Z',
      pay: { by: 'invoice', days: 3 },
      free: { deep: [1, null] },
      on: false,
    };
    const field = readSchema(schema);
    expect(readDraft(field, draftOf(field, value, true))).toEqual({ value, problems: {} });
  });

  it('starts with the defaults and the minimum number of entries', () => {
    const field = readSchema({
      type: 'object',
      required: ['tags'],
      properties: {
        size: { type: 'string', default: 'small' },
        tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
      },
    });
    const { properties } = draftOf(field, undefined, true) as ObjectDraft;
    expect(properties.size).toBe('small');
    expect((properties.tags as ListDraft).items).toHaveLength(2);
  });

  it('falls back to JSON for an empty schema', () => {
    expect(readSchema({}).kind).toBe('json');
    expect(readDraft(readSchema({}), '')).toEqual({ value: undefined, problems: {} });
    expect(readDraft(readSchema({}), '{').problems['']).toContain('Invalid JSON');
    expect(readSchema({ type: 'object' }).kind).toBe('json');
    expect(readSchema({ type: 'object', properties: {}, additionalProperties: false })).toMatchObject({
      kind: 'object',
      properties: [],
    });
    expect(readSchema({ type: 'array', prefixItems: [{ type: 'string' }] }).kind).toBe('json');
  });
});

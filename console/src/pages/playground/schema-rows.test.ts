import { expect, it } from 'vitest';
import { type SchemaRow, toRows, toSchema } from './schema-rows.ts';

const rows: SchemaRow[] = [
  { name: 'city', type: 'string', description: 'Where', isRequired: true },
  { name: 'degrees', type: 'number[]', description: '', isRequired: false },
];

it('a form becomes a schema and the same form again', () => {
  expect(toRows(toSchema(rows))).toEqual(rows);
  expect(JSON.parse(toSchema(rows))).toEqual({
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Where' },
      degrees: { type: 'array', items: { type: 'number' } },
    },
    required: ['city'],
    additionalProperties: false,
  });
  expect(toRows('')).toEqual([]);
});

it.each([
  '{',
  '[]',
  '{"type":"string"}',
  '{"type":"object","$defs":{}}',
  '{"type":"object","properties":{"a":{"type":"string","minLength":2}}}',
  '{"type":"object","properties":{"a":{"type":"object"}}}',
])('%s is left to the text, because the form would lose some of it', (text) => {
  expect(toRows(text)).toBeUndefined();
});

import { expect, it } from 'vitest';
import { compileSchema } from './compile-schema.ts';

it('checks values by the schema', () => {
  const check = compileSchema({ type: 'object', properties: { a: { type: 'string', pattern: '^x+$' } } });
  expect(check?.({ a: 'xx' })).toBe(true);
  expect(check?.({ a: 'y' })).toBe(false);
});

it('compiles a schema once, whoever sends it', () => {
  expect(compileSchema({ type: 'object', title: 'once' })).toBe(compileSchema({ type: 'object', title: 'once' }));
});

it.each([
  [{ type: 'nothing' }],
  [{ $ref: '#/$defs/missing' }],
  [{ properties: { a: 1 } }],
  [{ type: 'string', pattern: '(' }],
  [{ $ref: 'https://elsewhere.example/schema.json' }],
])('refuses %j, which is no schema', (schema) => expect(compileSchema(schema)).toBeUndefined());

it.each([
  ['draft 7 with a list of items', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
  ['an unknown format and keyword', { type: 'string', format: 'petname', 'x-order': 1 }],
  ['two schemas of one $id', { $id: 'https://a.example/x', type: 'string' }],
  ['the other of that $id', { $id: 'https://a.example/x', type: 'number' }],
  ['a needless escape, which Unicode mode forbids', { type: 'string', pattern: '^a\\-b$' }],
])('takes %s', (_name, schema) => expect(compileSchema(schema)).toBeTypeOf('function'));

it('gives up on a pattern that would run for hours', () => {
  const check = compileSchema({ type: 'string', pattern: '^(a+)+$' });
  const before = performance.now();
  for (let time = 0; time < 50; time++) expect(check?.(`${'a'.repeat(40)}!`)).toBe(false);
  expect(performance.now() - before).toBeLessThan(5000);
});

it('refuses a schema that is too large to be compiled in the turn of a request', () => {
  expect(compileSchema({ type: 'string', enum: ['x'.repeat(300_000)] })).toBeUndefined();
});

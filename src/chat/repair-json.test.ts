import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../test/support/rounds.ts';
import { repairJson } from './repair-json.ts';

it.each([
  ['{"a":1}', { a: 1 }],
  ['```json\n{"a":1}\n```', { a: 1 }],
  ['```\n{"a":1}', { a: 1 }],
  ['{"a":1,}', { a: 1 }],
  ['{"a":[1,2,],}', { a: [1, 2] }],
  ["{'a':'it\\'s'}", { a: "it's" }],
  ['{a: yes, b: 2}', { a: 'yes', b: 2 }],
  ['{"a": True, "b": None, "c": false}', { a: true, b: null, c: false }],
  ['{"a":{"b":[1,2', { a: { b: [1, 2] } }],
  ['{"a":1', { a: 1 }],
  ['Here you are: {"a":1} as you asked.', { a: 1 }],
  ['"{\\"a\\":1}"', { a: 1 }],
  ['{"a":"two\nlines"}', { a: 'two\nlines' }],
  ['{“a”: “b”}', { a: 'b' }],
  ['{"a":-1.5e3,}', { a: -1500 }],
  ["{'a':'\\u00e9'}", { a: 'é' }],
])('%s', (text, value) => expect(repairJson(text)).toEqual({ value }));

it.each([
  '',
  'hello',
  '{"a"',
  '{"a":"cut off in the mid',
  '{:}',
  '['.repeat(100),
  `\`\`\`{"a":${'['.repeat(9999)}${']'.repeat(9999)}}`,
])('%j cannot be read', (text) => {
  expect(repairJson(text)).toBeUndefined();
});

it('reads every JSON value as itself, and never throws or hangs on anything else', () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => typeof value === 'object'),
      (value) => {
        expect(repairJson(JSON.stringify(value))).toEqual({ value: JSON.parse(JSON.stringify(value)) });
      },
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",\':a1\\ \n') }), (text) => void repairJson(text)),
    {
      numRuns: rounds(200, 2000),
    },
  );
});

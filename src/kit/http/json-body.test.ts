import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ValidationFailed } from './errors.ts';
import { parseJson } from './json-body.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const complaint = (text: string) => {
  try {
    parseJson(encode(text), { depthMax: 4, keysMax: 10 });
  } catch (error) {
    return (error as ValidationFailed).items[0];
  }
  return undefined;
};

it('reads whatever JSON.stringify writes, exactly', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parseJson(encode(text))).toEqual(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

it('throws nothing but a validation failure, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      try {
        parseJson(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(ValidationFailed);
      }
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['{"a":1,"a":2}', "Duplicate key 'a'"],
  ['{"a":1,"\\u0061":2}', "Duplicate key 'a'"],
  ['[{"b":{"c":[],"c":1}}]', "Duplicate key 'c'"],
  ['{"a\\"":1,"a\\"":2}', "Duplicate key 'a\"'"],
])('finds the duplicate key in %s', (text, expected) => {
  expect(complaint(text)?.ctx?.error).toBe(expected);
});

it.each(['{"a":"a","b":{"a":{"a":1}}}', '[{"a":1},{"a":2}]', '{"a":"\\"a\\":1,\\"a\\":2"}', '{"":1,"a":""}', '"\\\\"'])(
  'finds none in %s',
  (text) => {
    expect(complaint(text)).toBeUndefined();
  },
);

it('counts depth and keys', () => {
  expect(complaint('[[[[1]]]]')).toBeUndefined();
  expect(complaint('[[[[[1]]]]]')?.msg).toBe('JSON is nested too deeply');
  expect(complaint(JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [i, i]))))?.msg).toBe(
    'JSON has too many keys',
  );
});

it('does not repeat the body in its complaint', () => {
  for (const text of ['{"password":"hunter2" oops}', 'hunter2', '{"a": hunter2}', '["hunter2"']) {
    expect(JSON.stringify(complaint(text))).not.toContain('hunter2');
  }
});

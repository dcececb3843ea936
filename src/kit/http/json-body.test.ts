import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { ValidationFailed } from './errors.ts';
import { parseJson } from './json-body.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const complaint = (text: string) => {
  try {
    parseJson(encode(text), { depthMax: 4, keysMax: 10, objectKeysMax: 8, valuesMax: 20 });
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
    { numRuns: rounds(100, 500) },
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
    { numRuns: rounds(100, 500) },
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

const keysOf = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));

it('counts depth, keys and values', () => {
  expect(complaint('[[[[1]]]]')).toBeUndefined();
  expect(complaint('["é",[[[[1]]]]]')).toMatchObject({ msg: 'JSON is nested too deeply', loc: ['body', 8] });
  expect(complaint(keysOf(8))).toBeUndefined();
  expect(complaint(keysOf(9))).toMatchObject({
    msg: 'JSON has too many keys',
    ctx: { error: 'more than 8 in one object' },
  });
  expect(complaint(`[${keysOf(5)},${keysOf(5)}]`)).toBeUndefined();
  expect(complaint(`[${keysOf(6)},${keysOf(5)}]`)).toMatchObject({
    msg: 'JSON has too many keys',
    ctx: { error: 'more than 10' },
  });
  expect(complaint(`[${'0,'.repeat(19)}0]`)).toBeUndefined();
  expect(complaint(`[${'0,'.repeat(20)}0]`)?.msg).toBe('JSON has too many values');
});

it('counts nothing that stands in a string, however long and whatever it holds', () => {
  const long = 'x'.repeat(200);
  for (const text of [
    '[[[[[',
    '{":":":",',
    '"[[[[[',
    `${long}[[[[[`,
    `${long}"[[[[[${long}\\`,
    `${'\\'.repeat(99)}":,`,
  ])
    expect(complaint(JSON.stringify({ a: text }))).toBeUndefined();
});

it.each([
  ['ten million levels', '['.repeat(10_000_000)],
  ['two million objects in each other', '{"a":'.repeat(2_000_000)],
  ['a million keys', `{${'"key":0,'.repeat(1_000_000)}"key":0}`],
])('refuses %s before anything is built', (_, text) => {
  const bytes = encode(text);
  const cpuMs = cpuMsOf(() => expect(() => parseJson(bytes)).toThrow(ValidationFailed));
  // Each of them takes JSON.parse more than that.
  expect(cpuMs).toBeLessThan(100);
});

it.each(['1e400', '-1e400', '9'.repeat(400)])('refuses a number that would become null: %s', (number) => {
  for (const text of [number, `[${number}]`, `{"a":[{"b":${number}}]}`]) {
    expect(complaint(text)?.ctx?.error).toBe('A number is too large');
  }
});

it('does not repeat the body in its complaint', () => {
  for (const text of ['{"password":"hunter2" oops}', 'hunter2', '{"a": hunter2}', '["hunter2"']) {
    expect(JSON.stringify(complaint(text))).not.toContain('hunter2');
  }
});

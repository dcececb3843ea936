import fc from 'fast-check';
import { search } from 'jmespath';
import { expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { prepareQuery } from './index.ts';

const name = fc.constantFrom('a', 'b', 'c', '"a"');
const value = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, -2, 'a', '', 'text'),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;

const literal = fc.constantFrom('`1`', '`null`', '`[1, 2]`', '`"a"`', "'text'", '`{"a": 1}`', '`true`');
const query = fc.letrec<{ query: string }>((tie) => {
  const inner = tie('query');
  const parts = (glue: string) => fc.tuple(inner, inner).map(([left, right]) => `${left}${glue}${right}`);
  return {
    query: fc.oneof(
      { depthSize: 'small' },
      name,
      literal,
      fc.constant('@'),
      fc.tuple(inner, name).map(([left, right]) => `${left}.${right}`),
      fc.tuple(inner, fc.integer({ min: -3, max: 3 })).map(([left, index]) => `${left}[${index}]`),
      fc
        .tuple(inner, fc.constantFrom('[1:]', '[:2]', '[::2]', '[::-1]', '[-2:]', '[*]', '.*', '[]'))
        .map(([left, right]) => `${left}${right}`),
      fc.tuple(inner, inner).map(([left, right]) => `${left}[?${right}]`),
      parts(' | '),
      parts(' || '),
      parts(' && '),
      parts(' == '),
      parts(' != '),
      inner.map((one) => `!${one}`),
      inner.map((one) => `(${one})`),
      fc.tuple(inner, inner).map(([left, right]) => `[${left}, ${right}]`),
      fc.tuple(inner, inner).map(([left, right]) => `{a: ${left}, b: ${right}}`),
      fc
        .tuple(fc.constantFrom('type', 'to_array', 'not_null', 'length', 'keys', 'sort', 'max', 'sum'), inner)
        .map(([call, one]) => `${call}(${one})`),
      // The package looks in a text for the text of any value, and in a list for the same list only.
      fc.tuple(inner, fc.constantFrom('`1`', '`"a"`', "'text'")).map(([left, right]) => `contains(${left}, ${right})`),
    ),
  };
}).query;

/** Undefined where it throws: it is no expression, or a function got a wrong type. */
function reference(source: string, of: unknown): unknown {
  try {
    return search(of, source) ?? null;
  } catch {
    return undefined;
  }
}

function ours(source: string, of: unknown): unknown {
  const prepared = prepareQuery(source);
  if ('invalid' in prepared) return undefined;
  const outcome = prepared.run(of);
  if (outcome === 'too_expensive') throw new Error('too expensive');
  return 'found' in outcome ? outcome.found : undefined;
}

it('finds what the package jmespath finds', () => {
  fc.assert(
    fc.property(query, value, (source, of) => {
      // The package reads only the first word of a bracket or parameter that begins with the current value.
      fc.pre(!/[(,]\s*@/.test(source));
      expect(ours(source, of)).toEqual(reference(source, of));
    }),
    { numRuns: rounds(1000, 100_000) },
  );
});

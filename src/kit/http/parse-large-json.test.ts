import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { ValidationFailed } from './errors.ts';
import { DEFAULT_JSON_LIMITS, parseJson } from './json-body.ts';
import { parseLargeJson } from './parse-large-json.ts';

const MIB = 1024 * 1024;
const outcomeOf = async (parse: () => unknown) => {
  try {
    return { value: JSON.stringify(await parse()) };
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationFailed);
    return { refused: (error as ValidationFailed).message };
  }
};

const same = async (bytes: Uint8Array, pieceBytes: number) =>
  expect(await outcomeOf(() => parseLargeJson(bytes, DEFAULT_JSON_LIMITS, { pieceBytes }))).toStrictEqual(
    await outcomeOf(() => parseJson(bytes)),
  );

describe('a large JSON body', () => {
  it('has the value and the refusals that it has when it is parsed in one go', async () => {
    const spaces = fc.constantFrom('', ' ', '\n  ');
    const mistakes = fc.constantFrom('', ',', ']', '}', '{', '[', '"', ':', '\u00a0', '\ufeff', '1e999', '"a":1,');
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 5 }),
        fc.jsonValue({ maxDepth: 3 }),
        spaces,
        mistakes,
        fc.nat(),
        fc.integer({ min: 1, max: 40 }),
        async (first, second, space, mistake, place, pieceBytes) => {
          const text = JSON.stringify({ first, '': [second, [first, second]], rest: second }, null, space);
          const at = place % (text.length + 1);
          await same(Buffer.from(text), pieceBytes);
          await same(Buffer.from(text.slice(0, at) + mistake + text.slice(at)), pieceBytes);
          await same(Buffer.from(text.slice(0, at)), pieceBytes);
        },
      ),
      { numRuns: rounds(100, 20_000) },
    );
  });

  it.each([
    '{"a":[1,2,3,4],"a":[1,2,3,4]}',
    '{"a":{"x":1,"y":2},"__proto__":{"x":1,"y":2},"constructor":[]}',
    '[[1,2,3,4,5,6],]',
    '[,[1,2,3,4,5,6]]',
    '[[1,2,3,4,5,6] [1,2,3,4,5,6]]',
    '{"a" [1,2,3,4,5,6]}',
    '{[1,2,3,4,5,6]}',
    '[[1,2,3,4,5,6}]',
    '[[1,2,3,4,5,6]] x',
    '\ufeff[[1,2,3,4,5,6]]',
    '"a text that is not short"',
  ])('like %s is read as in one go', async (text) => {
    for (const pieceBytes of [1, 4, 8, 1000]) await same(Buffer.from(text), pieceBytes);
  });

  it('is parsed in steps between which others are served', async () => {
    const requests = Array.from({ length: 5000 }, (_, n) => ({
      custom_id: String(n),
      body: { text: 'x'.repeat(2000) },
    }));
    const body = Buffer.from(JSON.stringify({ model: 'm', requests }));
    expect(body.length).toBeGreaterThan(9 * MIB);
    let served = 0;
    let isOver = false;
    const serve = () => {
      served++;
      if (!isOver) setImmediate(serve);
    };
    setImmediate(serve);
    const parsed = await parseLargeJson(body);
    isOver = true;
    expect(parsed).toEqual({ model: 'm', requests });
    expect(served).toBeGreaterThan(15);
  });

  it('of many megabytes with a mistake is refused without being parsed in one go', async () => {
    const body = Buffer.from(`[${'[1,2,3],'.repeat(100_000).repeat(4)}`);
    await expect(parseLargeJson(body, { ...DEFAULT_JSON_LIMITS, valuesMax: 1e9 })).rejects.toBeInstanceOf(
      ValidationFailed,
    );
  });
});

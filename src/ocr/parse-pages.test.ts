import { expect, it } from 'vitest';
import { cpuMsOf } from '../../test/support/cpu-time.ts';
import { ValidationFailed } from '../kit/http/index.ts';
import { parsePages } from './parse-pages.ts';

it('pages and ranges are read with and without spaces', () => {
  expect(parsePages('0-2, 5 , 7 - 9')).toEqual([
    [0, 2],
    [5, 5],
    [7, 9],
  ]);
});

it('a text of spaces is refused in no time', () => {
  const text = `1${' '.repeat(100_000)}x`;
  expect(cpuMsOf(() => expect(() => parsePages(text)).toThrow(ValidationFailed))).toBeLessThan(400);
});

import { expect, it } from 'vitest';
import { highlight } from './highlight.ts';

const kinds = (code: string, language: string) =>
  highlight(code, language).flatMap(({ text, kind }) => (kind ? [`${kind} ${text}`] : []));

it('nothing of the code is lost or added', () => {
  for (const code of ['const a = "b // c"; // d', "it's unclosed", 'x = """a\nb', '/* open', 'a\r\n\tb 1e5 `t ${x}`'])
    for (const language of ['ts', 'python', 'sql', '', 'nonsense'])
      expect(
        highlight(code, language)
          .map(({ text }) => text)
          .join(''),
      ).toBe(code);
});

it('tells comments, strings, numbers, keywords and calls apart', () => {
  expect(kinds('const n = call("x // y", 4.5); // why', 'ts')).toEqual([
    'keyword const',
    'name call',
    'string "x // y"',
    'number 4.5',
    'comment // why',
  ]);
  expect(kinds('def f(): # why\n  return "#"', 'python')).toEqual([
    'keyword def',
    'name f',
    'comment # why',
    'keyword return',
    'string "#"',
  ]);
});

it('a # is no comment where it means something else, and plain text has no colours', () => {
  expect(kinds('#include <x>', 'c')).toEqual([]);
  expect(kinds('return 1', 'text')).toEqual([]);
  expect(kinds('see https://example.com/a', 'js')).toEqual([]);
});

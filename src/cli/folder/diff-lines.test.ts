import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from './diff-lines.ts';

/** What `patch` would make of it. */
function apply(before: string, hunks: string[]): string {
  const lines = before.split('\n');
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const header = /^@@ -(\d+),(\d+) /.exec(hunk);
    if (header) {
      const start = Number(header[1]) - (Number(header[2]) === 0 ? 0 : 1);
      while (at < start) result.push(lines[at++] ?? '');
    } else if (hunk.startsWith(' ')) {
      expect(lines[at]).toBe(hunk.slice(1));
      result.push(lines[at++] ?? '');
    } else if (hunk.startsWith('-')) {
      expect(lines[at++]).toBe(hunk.slice(1));
    } else result.push(hunk.slice(1));
  }
  return [...result, ...lines.slice(at)].join('\n');
}

describe('a diff', () => {
  it('turns any text into any other', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diffLines(before, after);
        expect(apply(before, hunks)).toBe(after);
        if (before === after) expect(hunks).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('shows what changed with three lines around it, and the shortest way there', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const changed = lines.with(4, 'new').toSpliced(20, 1);
    expect(diffLines(`${lines.join('\n')}\n`, `${changed.join('\n')}\n`)).toEqual([
      '@@ -2,7 +2,7 @@',
      ' line 2',
      ' line 3',
      ' line 4',
      '-line 5',
      '+new',
      ' line 6',
      ' line 7',
      ' line 8',
      '@@ -18,7 +18,6 @@',
      ' line 18',
      ' line 19',
      ' line 20',
      '-line 21',
      ' line 22',
      ' line 23',
      ' line 24',
    ]);
  });

  it('tells a missing end of line', () => {
    expect(diffLines('a\n', 'a')).toEqual(['@@ -1,1 +1,1 @@', '-a', '+a\n\\ No newline at end of file']);
    expect(diffLines('', 'a\n')).toEqual(['@@ -0,0 +1,1 @@', '+a']);
  });

  it('shows a text with too many changes as replaced', () => {
    const textOf = (word: string) => Array.from({ length: 400 }, (_, index) => `${word} ${index}\n`).join('');
    const hunks = diffLines(textOf('old'), textOf('new'));
    expect(hunks[0]).toBe('@@ -1,400 +1,400 @@');
    expect(apply(textOf('old'), hunks)).toBe(textOf('new'));
  });
});

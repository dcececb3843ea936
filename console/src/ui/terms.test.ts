import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { terms } from './terms.ts';

const repository = new URL('../../../', import.meta.url);

/** The rows of the section of docs/glossary.md: field, word, meaning, other words that are not used. */
function readGlossary() {
  const text = readFileSync(new URL('docs/glossary.md', repository), 'utf8');
  const section = /## Settings in the console\n([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
  return [...section.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$/gm)].map(
    ([, field = '', word = '', , not = '']) => ({
      field,
      word: word.trim(),
      not: not
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    }),
  );
}

/** Words that a person reads: labels, titles, headers of columns. */
function findOtherWords(source: string, not: readonly string[]): string[] {
  const shown = [...source.matchAll(/(?:label|title|header|legend|summary)(?:=|: |>)["'{`]?\s*["'`]?([^"'`<{}\n]+)/g)];
  return shown.flatMap(([, words = '']) => not.filter((one) => words.trim().toLowerCase() === one.toLowerCase()));
}

it('the glossary of the documentation and the console have the same words for settings', () => {
  expect(Object.fromEntries(readGlossary().map(({ field, word }) => [field, word]))).toEqual(terms);
});

it('no page has another word for one of them', () => {
  const not = readGlossary().flatMap((row) => row.not);
  expect(not.length).toBeGreaterThan(10);
  expect(findOtherWords('<TextField label="Most tokens" />', not)).toEqual(['Most tokens']);
  const files = globSync('console/src/**/*.tsx', { cwd: repository.pathname });
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) =>
    findOtherWords(readFileSync(new URL(file, repository), 'utf8'), not).map((words) => `${file}: ${words}`),
  );
  expect(found).toEqual([]);
});

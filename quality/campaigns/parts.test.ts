import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isFull } from '../../test/support/rounds.ts';
import { type Benchmark, isMet } from '../bench/benchmark.ts';
import { keepFigures } from '../bench/keep-figures.ts';
import { parts } from './parts/index.ts';

/** They take seconds on an idle machine. */
const PART_MS = 180_000;
/** `test/crash` kills servers in every run, and memory over some seconds says little: only the full run has these. */
const ELSEWHERE = new Set(['crash', 'soak']);
const options = { quick: true, progress: () => undefined };

describe('the short form of', () => {
  // The closing lines of the run list what is missing here.
  const possible = parts.filter(({ name, isPossible }) => (isPossible?.() ?? true) && (isFull || !ELSEWHERE.has(name)));
  it.each<[string, Benchmark]>(possible.map((part) => [part.name, part]))(
    '%s misses no bar',
    { timeout: PART_MS },
    async (_, part) => {
      const figures = await part.run(options);
      expect(figures.filter((figure) => !isMet(figure))).toEqual([]);
      expect(figures.some(({ target }) => target)).toBe(true);
    },
  );
});

describe('the page of figures', () => {
  it('takes in the parts that ran and keeps the rows of the others', () => {
    const page = pathToFileURL(join(mkdtempSync(join(tmpdir(), 'trust-')), 'trust.md'));
    const head = '# Trust\n\n| Part | Figure | Value | Bar | Verdict | Run on |\n|---|---|---|---|---|---|\n';
    writeFileSync(
      page,
      `${head}| \`a\` | old | 1 s | – | – | 2026-01-01 |\n| \`b\` | kept | 2 s | – | – | 2026-01-01 |\n\nEnd.\n`,
    );
    const figures = [{ name: 'new', value: 0.5, unit: 's', target: { at: '<' as const, value: 1 } }];
    keepFigures([{ name: 'a', summary: '', tries: 1, figures }], page, '2026-02-02');
    expect(readFileSync(page, 'utf8')).toBe(
      `${head}| \`a\` | new | 0.500 s | < 1 | met | 2026-02-02 |\n| \`b\` | kept | 2 s | – | – | 2026-01-01 |\n\nEnd.\n`,
    );
  });
});

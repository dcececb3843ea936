import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { type Benchmark, isMet } from '../bench/benchmark.ts';
import { keepFigures } from '../bench/keep-figures.ts';
import { parts } from './parts/index.ts';
import { runUpgrades } from './upgrade/campaign.ts';
import { onSqlite } from './upgrade/ground.ts';
import { readReleases } from './upgrade/releases.ts';

/** They take seconds on an idle machine. */
const PART_MS = 180_000;
/** Parts whose short form takes seconds; the lists of operations of the others are checked beside this file. */
const CHEAP = new Set(['outbound', 'secrets', 'streams', 'supply-chain']);

describe('the short form of', () => {
  // The closing lines of the run list what is missing here.
  const possible = parts.filter(({ isPossible }) => isPossible?.() ?? true);
  const named = (isCheap: boolean) =>
    possible.filter(({ name }) => CHEAP.has(name) === isCheap).map((part): [string, Benchmark] => [part.name, part]);

  it.each(named(true))('%s misses no bar', { timeout: PART_MS }, (_, part) => missNoBar(part));
  inFull.it.each(named(false))('%s misses no bar', { timeout: PART_MS }, (_, part) => missNoBar(part));
});

async function missNoBar(part: Benchmark): Promise<void> {
  const figures = await part.run({ quick: true, progress: () => undefined });
  expect(figures.filter((figure) => !isMet(figure))).toEqual([]);
  expect(figures.some(({ target }) => target)).toBe(true);
}

it('the data of the oldest and of the newest release opens, reads as it did and gets the schema of today', async () => {
  const all = readReleases();
  const { faults, read } = await runUpgrades(onSqlite, temporaryDir(), {
    releases: all.filter((release) => release === all[0] || release === all.at(-1)),
    isRead: () => true,
    refusing: 'none',
    deaths: 0,
    progress: () => undefined,
  });
  expect(Object.values(faults).flat()).toEqual([]);
  expect(read).toBeGreaterThan(20);
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

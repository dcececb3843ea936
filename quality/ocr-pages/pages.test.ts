import { describe, expect, it } from 'vitest';
import { inFull } from '../../test/support/in-full.ts';
import { type Compared, compareReaders } from './compare-readers.ts';
import { PAGES, SHORT_PAGES } from './pages.ts';
import { LANGUAGE_CODES, TEXTS } from './texts.ts';
import { wordAccuracy } from './word-accuracy.ts';

const FULL_MS = 1_800_000;

describe('pages with known text', () => {
  it('are at least sixty, of every kind, in six languages', () => {
    expect(PAGES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(PAGES.map(({ language }) => language))).toEqual(new Set(LANGUAGE_CODES));
    expect(new Set(PAGES.map(({ name }) => name)).size).toBe(PAGES.length);
  });

  it('a page upside down is read without a mistake, which bare Tesseract cannot', async () => {
    const [compared] = await compareReaders(SHORT_PAGES.slice(-1));
    expect(compared).toMatchObject({ page: 'turned by 180, short invoice', ours: 1 });
    expect(compared?.bare).toBeLessThan(1);
  });

  inFull.it('large letters, a slide in a PDF and a page upside down are read without a mistake', async () => {
    const compared = await compareReaders(SHORT_PAGES);
    expect(compared.filter(({ ours }) => ours < 1).map(shown)).toEqual([]);
    expect(compared.filter(({ bare }) => bare < 1).map(({ page }) => page)).toEqual(['turned by 180, short invoice']);
    // Large letters are a title, and no lines.
    expect(compared[1]?.markdown).toMatch(new RegExp(`^#+ ${TEXTS.eng.title}$`, 'm'));
  });

  inFull.it(
    'are never read more than a point worse than by bare Tesseract, and on average five better',
    {
      timeout: FULL_MS,
    },
    async () => {
      const compared = await compareReaders(PAGES);
      expect(compared.filter(({ ours, bare }) => ours < bare - 0.01).map(shown)).toEqual([]);
      const gains = compared.map(({ ours, bare }) => ours - bare);
      expect(gains.reduce((sum, gain) => sum + gain, 0) / gains.length).toBeGreaterThanOrEqual(0.05);
    },
  );
});

const shown = ({ page, ours, bare }: Compared) => `${page}: ${ours.toFixed(3)} vs ${bare.toFixed(3)}`;

describe('word accuracy', () => {
  it.each([
    ['the same words in another order', 'two one', 'one two', 1],
    ['marks of Markdown and of sentences do not count', '# One, *two*\n| three |', 'One two: three.', 1],
    ['a word that is missed', 'one', 'one two', 0.5],
    ['a word that was made up', 'one two three four', 'one two', 0.5],
    ['a word that was read twice', 'one one', 'one two', 0.5],
    ['case and accents count', 'Sud eté', 'sud été', 0],
    ['nothing of nothing', '', '', 1],
  ])('%s', (_name, read, truth, accuracy) => {
    expect(wordAccuracy(read, truth)).toBe(accuracy);
  });
});

import { type Compared, compareReaders } from '../../ocr-pages/compare-readers.ts';
import { PAGES } from '../../ocr-pages/pages.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { median } from '../statistics.ts';

const WORST_MIN = -1;
const AVERAGE_MIN = 5;
const TIME_MAX = 2;
/** What bare Tesseract reads so well is clean, and must stay quick. */
const CLEAN = 0.99;
const QUICK_STEP = 8;

export const ocrPages: Benchmark = {
  name: 'ocr-pages',
  summary: `word accuracy on ${PAGES.length} pages with known text against bare Tesseract`,
  async run({ quick, progress }) {
    const compared = await compareReaders(quick ? PAGES.filter((_, i) => i % QUICK_STEP === 0) : PAGES, progress);
    return figuresOf(compared);
  },
};

function figuresOf(compared: Compared[]): Figure[] {
  const points = (value: number) => Math.round(value * 10_000) / 100;
  const average = (of: (row: Compared) => number) => compared.reduce((sum, row) => sum + of(row), 0) / compared.length;
  const worst = compared.reduce((least, row) => (row.ours - row.bare < least.ours - least.bare ? row : least));
  const clean = compared.filter(({ bare }) => bare >= CLEAN);
  const rows = compared.map(({ markdown: _markdown, ...row }) => row);
  return [
    {
      name: 'worst page, over bare Tesseract',
      value: points(worst.ours - worst.bare),
      unit: 'points',
      target: { at: '≥', value: WORST_MIN },
      note: `${worst.page}: ${points(worst.ours)} % vs ${points(worst.bare)} %`,
      rows,
    },
    {
      name: 'average of all pages, over bare Tesseract',
      value: points(average(({ ours, bare }) => ours - bare)),
      unit: 'points',
      target: { at: '≥', value: AVERAGE_MIN },
      note: `${points(average(({ ours }) => ours))} % vs ${points(average(({ bare }) => bare))} %`,
    },
    { name: 'words read right', value: points(average(({ ours }) => ours)), unit: '%' },
    {
      name: 'time of a clean page vs bare Tesseract (median)',
      value: median(clean.map(({ oursMs, bareMs }) => oursMs / bareMs)),
      unit: '×',
      target: { at: '≤', value: TIME_MAX },
      note: `all pages: ${secondsOf(compared, 'oursMs')} vs ${secondsOf(compared, 'bareMs')} s per page`,
    },
  ];
}

function secondsOf(compared: Compared[], key: 'oursMs' | 'bareMs'): string {
  return (compared.reduce((sum, row) => sum + row[key], 0) / compared.length / 1000).toFixed(2);
}

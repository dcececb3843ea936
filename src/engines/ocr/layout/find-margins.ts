import type { Block, PageContent } from './elements.ts';
import { linesOf, textOf } from './find-blocks.ts';
import { findLines } from './find-lines.ts';
import { type Box, holdsCentre, largestOf } from './geometry.ts';

/** The parts of a page, from its edges, where headers and footers stand. */
const MARGIN = 0.1;
const LINES_MAX = 3;
/** A longer line is text. */
const CHARACTERS_MAX = 200;

const NAME = '(?:page|seite|p\\.|página|pagina)';
const NUMBER = '(?<number>\\d{1,4}|[ivxlc]{1,7})';
const TOTAL = '(?:\\s*(?:/|of|von|sur|de|di)\\s*\\d{1,4})?';
const MARK = '[-–—|·•]';
/** "Page 3 of 12" alone says what it is. */
const NAMED = new RegExp(`^(?:${MARK}\\s*)?${NAME}\\s*${NUMBER}${TOTAL}(?:\\s*${MARK})?$`);
/** A number that is named, or parted by a mark from what stands beside it: "Report, page 3", "3 | Report", "- 3 -". */
const NUMBERED = new RegExp(
  `^(?<before>(?:.*\\s)?${NAME}\\s*|(?:.*\\s)?${MARK}\\s*|)${NUMBER}(?<after>${TOTAL}(?:\\s*${MARK}.*)?)$`,
);
const ROMAN = /^c{0,3}(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$/;
const ROMAN_DIGITS: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

/** A line at an edge of a page, in the forms in which other pages may have it. */
export type EdgeLine = { box: Box; text: string; forms: string[] };

export function findEdgeLines(content: PageContent, index: number, pageCount: number): EdgeLine[] {
  const edges = edgesOf(content);
  return findLines(content.words.filter(({ isTurned }) => !isTurned))
    .filter(({ box }) => edges.some(({ edge }) => holdsCentre(edge, box)))
    .map((line) => {
      const text = textOf([line]).toLowerCase();
      return { box: line.box, text, forms: text.length > CHARACTERS_MAX ? [] : formsOf(text, index, pageCount) };
    });
}

/** Marks blocks as header or footer: their lines number the pages or stand on other pages too, and no text is further out. */
export function markMargins(
  blocks: Block[],
  content: PageContent,
  lines: readonly EdgeLine[],
  isRepeated: (line: EdgeLine) => boolean,
): Block[] {
  const edges = edgesOf(content);
  const candidates = new Set(lines.filter((line) => isPageNumber(line) || isRepeated(line)));
  const texts = lines.filter((line) => !candidates.has(line)).map(({ box }) => (box.y0 + box.y1) / 2);
  const [first, last] = [-largestOf(texts.map((y) => -y)), largestOf(texts)];
  return blocks.map((block) => {
    const type = edges.find(({ edge }) => holdsCentre(edge, block.box))?.type;
    const count = linesOf(block).length;
    if (!type || !['text', 'title', 'list'].includes(block.type) || count > LINES_MAX) return block;
    const isOutermost = ({ y0, y1 }: Box) => (type === 'header' ? y0 < first : y1 > last);
    const found = [...candidates].filter(({ box }) => holdsCentre(block.box, box) && isOutermost(box));
    return found.length === count ? { ...block, type } : block;
  });
}

const isPageNumber = ({ text }: EdgeLine): boolean => text.length <= CHARACTERS_MAX && NAMED.test(text);

function edgesOf({ width, height }: PageContent): { type: 'header' | 'footer'; edge: Box }[] {
  return [
    { type: 'header', edge: { x0: 0, y0: -height, x1: width, y1: MARGIN * height } },
    { type: 'footer', edge: { x0: 0, y0: (1 - MARGIN) * height, x1: width, y1: 2 * height } },
  ];
}

/** The line as it is; and with the number of the page as its distance from the place of the page, which is the same on all. */
function formsOf(text: string, index: number, pageCount: number): string[] {
  const { before = '', number = '', after = '' } = NUMBERED.exec(text)?.groups ?? {};
  const value = readNumber(number);
  // A larger number may be that of an invoice.
  return value > 0 && value <= pageCount ? [text, `${before}\0${value - index}${after}`] : [text];
}

/** 0 of what is no number. */
function readNumber(number: string): number {
  if (/^\d/.test(number)) return Number(number);
  if (!ROMAN.test(number)) return 0;
  const digits = [...number].map((letter) => ROMAN_DIGITS[letter] ?? 0);
  return digits.reduce((sum, digit, i) => sum + (digit < (digits[i + 1] ?? 0) ? -digit : digit), 0);
}

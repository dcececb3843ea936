import type { Block, Line, PageContent } from './elements.ts';
import { linesOf, textOf } from './find-blocks.ts';
import { findLines } from './find-lines.ts';
import { type Box, holdsCentre, largestOf, unionOf } from './geometry.ts';

/** The parts of a page, from its edges, where headers and footers stand. */
const MARGIN = 0.1;
const PAGE_NUMBER =
  /^([-–—]\s*)?(page|seite|p\.|página|pagina)?\s*(\d{1,4}|[ivxlc]{1,7})(\s*(\/|of|von|sur|de|di)\s*\d{1,4})?(\s*[-–—])?$/i;
const PAGE_NUMBER_CHARACTERS_MAX = 40;
/** A header without a like on another page stands apart from the text by so many sizes of its letters. */
const GAP_ALONE = 2.2;
const ALONE_CHARACTERS_MAX = 80;
const ALONE_MARGIN = 0.06;

export type Margins = { header: string[]; footer: string[] };

/** What stands at the edges of a page, in a form in which it is the same on every page. */
export function marginsOf(content: PageContent): Margins {
  const lines = findLines(content.words.filter(({ isTurned }) => !isTurned));
  const { top, bottom } = edgesOf(content);
  const said = (edge: Box) => lines.filter(({ box }) => holdsCentre(edge, box)).map((line) => likeness([line]));
  return { header: said(top), footer: said(bottom) };
}

/** Marks blocks as header or footer. `others` are the margins of the pages around this one. */
export function markMargins(blocks: Block[], content: PageContent, others: readonly Margins[]): Block[] {
  const { top, bottom } = edgesOf(content);
  return blocks.map((block, i) => {
    if (!['text', 'title', 'list'].includes(block.type)) return block;
    const lines = linesOf(block);
    if (lines.length > 3) return block;
    if (
      holdsCentre(top, block.box) &&
      isMargin(
        lines,
        gapTo(block, blocks, i),
        others.map(({ header }) => header),
      )
    )
      return { ...block, type: 'header' };
    if (
      holdsCentre(bottom, block.box) &&
      isMargin(
        lines,
        gapTo(block, blocks, i),
        others.map(({ footer }) => footer),
      )
    )
      return { ...block, type: 'footer' };
    return block;
  });

  function isMargin(lines: Line[], gap: number, elsewhere: string[][]): boolean {
    const text = textOf(lines).trim();
    if (text.length <= PAGE_NUMBER_CHARACTERS_MAX && PAGE_NUMBER.test(text)) return true;
    if (elsewhere.length > 0) return lines.every((line) => elsewhere.some((said) => said.includes(likeness([line]))));
    // Without another page to compare with, only a short line that stands alone at the very edge is taken for one.
    const [line] = lines as [Line];
    if (lines.length > 1 || textOf(lines).length > ALONE_CHARACTERS_MAX || !isAtEdge(line, content)) return false;
    return gap > GAP_ALONE * line.size && line.size <= 1.05 * bodyOf(blocks);
  }
}

function edgesOf({ width, height }: PageContent): { top: Box; bottom: Box } {
  return {
    top: { x0: 0, y0: -height, x1: width, y1: MARGIN * height },
    bottom: { x0: 0, y0: (1 - MARGIN) * height, x1: width, y1: 2 * height },
  };
}

function isAtEdge({ box }: Line, { height }: PageContent): boolean {
  return box.y1 < ALONE_MARGIN * height || box.y0 > (1 - ALONE_MARGIN) * height;
}

/** Numbers change from page to page. */
function likeness(lines: Line[]): string {
  return textOf(lines).replace(/\d+/g, '0').toLowerCase();
}

function gapTo({ box }: Block, blocks: Block[], i: number): number {
  const others = blocks.filter((_, at) => at !== i).map((other) => other.box);
  if (others.length === 0) return 0;
  const gaps = others.map((other) => (other.y0 >= box.y1 ? other.y0 - box.y1 : box.y0 - other.y1));
  // What stands on the same row belongs to the same margin.
  return gaps.reduce((least, gap) => (gap > 0 ? Math.min(least, gap) : least), unionOf(others).y1);
}

function bodyOf(blocks: Block[]): number {
  const bodies = blocks.filter(({ type }) => type === 'text').flatMap(linesOf);
  return Math.max(0, largestOf(bodies.map(({ size }) => size)));
}

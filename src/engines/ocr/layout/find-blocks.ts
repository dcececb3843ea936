import { findAlignedTables } from './aligned-tables.ts';
import type { Block, BlockType, Line, PageContent, Table } from './elements.ts';
import { findLines } from './find-lines.ts';
import { findParagraphs, isBold, isMono, type Paragraph } from './find-paragraphs.ts';
import { areaOf, type Box, holdsCentre, largestOf, overlapOf, unionOf } from './geometry.ts';
import { inReadingOrder } from './reading-order.ts';
import { findRuledTables } from './ruled-tables.ts';

const CAPTION = /^(fig(ure|\.)?|abb(ildung|\.)?|table|tab(elle|leau|la|\.)|figura|ilustración)\s*\d+/i;
const REFERENCES =
  /^(references|bibliography|literature|literatur(verzeichnis)?|références|bibliographie|bibliografía)$/i;
const TITLE_CHARACTERS_MAX = 200;
/** How much larger than the text around them titles are, by level. What was measured in an image is less certain. */
const TITLE_SIZES = [1.75, 1.4, 1.14];
const SCANNED_TITLE_SIZES = [1.9, 1.55, 1.3];

type Piece = { box: Box; line?: Line; table?: Table; isPicture?: boolean };

/** The blocks of a page in reading order. `bodySize` is that of most letters of the document around it. */
export function findBlocks(content: PageContent, bodySize: number): Block[] {
  const { words, rules, isScan } = content;
  const upright = words.filter(({ isTurned }) => !isTurned);
  const tables = findRuledTables(upright, rules);
  const free = upright.filter(({ box }) => !tables.some((table) => holdsCentre(table.box, box)));
  const lines = findLines(free);
  tables.push(...findAlignedTables(lines));
  const pictures = content.pictures.filter(
    (picture) => !tables.some(({ box }) => overlapOf(box, picture) > 0.5 * areaOf(picture)),
  );
  const pieces: Piece[] = [
    ...lines
      .filter(({ box }) => !tables.some((table) => holdsCentre(table.box, box)))
      .map((line) => ({ box: line.box, line })),
    ...tables.map((table) => ({ box: table.box, table })),
    ...pictures.map((box) => ({ box, isPicture: true })),
  ];
  const blocks = blocksOf(inReadingOrder(pieces), bodySize, isScan);
  const turned = words.filter(({ isTurned }) => isTurned);
  if (turned.length > 0) blocks.push(asideOf(turned));
  return blocks;
}

function blocksOf(pieces: Piece[], bodySize: number, isScan: boolean): Block[] {
  const blocks: Block[] = [];
  let lines: Line[] = [];
  const finish = () => {
    for (const paragraph of findParagraphs(lines, isScan)) addParagraph(blocks, paragraph, bodySize, isScan);
    lines = [];
  };
  for (const { box, line, table } of pieces) {
    if (line) lines.push(line);
    else {
      finish();
      blocks.push(table ? { type: 'table', box, paragraphs: [], table } : { type: 'image', box, paragraphs: [] });
    }
  }
  finish();
  return blocks.map(nameNeighbours);
}

function addParagraph(blocks: Block[], { lines, marker }: Paragraph, bodySize: number, isScan: boolean): void {
  const box = unionOf(lines.map((line) => line.box));
  const last = blocks.at(-1);
  if (marker) {
    const item = { marker: marker.text, lines: withoutFirstWord(lines) };
    if (last?.type === 'list' && isAlike(last.paragraphs[0]?.marker, marker.text)) {
      last.paragraphs.push(item);
      last.box = unionOf([last.box, box]);
    } else blocks.push({ type: 'list', box, paragraphs: [item] });
    return;
  }
  const level = levelOf(lines, bodySize, isScan);
  if (level !== undefined) blocks.push({ type: 'title', box, paragraphs: [{ lines }], level });
  else blocks.push({ type: plainTypeOf(lines), box, paragraphs: [{ lines }] });
}

function levelOf(lines: Line[], bodySize: number, isScan: boolean): number | undefined {
  const text = textOf(lines);
  if (lines.length > 3 || text.length > TITLE_CHARACTERS_MAX || !/\p{L}/u.test(text)) return undefined;
  const size = largestOf(lines.map((line) => line.size));
  const level = (isScan ? SCANNED_TITLE_SIZES : TITLE_SIZES).findIndex((factor) => size >= factor * bodySize);
  if (level >= 0) return level + 1;
  return lines.length === 1 && lines.every(isBold) && size >= 0.98 * bodySize && !/[.:,;]$/.test(text) ? 3 : undefined;
}

function plainTypeOf(lines: Line[]): BlockType {
  const words = lines.flatMap((line) => line.words);
  if (lines.every(isMono)) return 'code';
  return words.filter(({ isMath }) => isMath).length > 0.5 * words.length ? 'equation' : 'text';
}

/** Types that depend on neighbours: captions stand beside what they name, references under their title. */
function nameNeighbours(block: Block, i: number, all: Block[]): Block {
  if (block.type !== 'text') return block;
  const [above, below] = [all[i - 1], all[i + 1]];
  const isNamed = (other: Block | undefined) => other?.type === 'image' || other?.type === 'table';
  const text = textOf(linesOf(block));
  if (CAPTION.test(text) && (isNamed(above) || isNamed(below))) return { ...block, type: 'caption' };
  const title = all.slice(0, i).findLast(({ type }) => type === 'title');
  return title && REFERENCES.test(textOf(linesOf(title))) ? { ...block, type: 'references' } : block;
}

/** What is written across the page: each piece in the order in which it came. */
function asideOf(words: PageContent['words']): Block {
  const line = { words, box: unionOf(words.map(({ box }) => box)), size: words[0]?.size ?? 0 };
  return { type: 'aside_text', box: line.box, paragraphs: [{ lines: [line] }] };
}

/** Points and numbers make lists of their own. */
function isAlike(one: string | undefined, other: string): boolean {
  return one !== undefined && /^\d/.test(one) === /^\d/.test(other);
}

function withoutFirstWord([first, ...others]: Line[]): Line[] {
  return first ? [{ ...first, words: first.words.slice(1) }, ...others] : others;
}

export function linesOf({ paragraphs }: Block): Line[] {
  return paragraphs.flatMap(({ lines }) => lines);
}

export function textOf(lines: readonly Line[]): string {
  return lines.map(({ words }) => words.map(({ text }) => text).join(' ')).join(' ');
}

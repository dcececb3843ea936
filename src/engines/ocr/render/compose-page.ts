import type { Block, PageContent } from '../layout/elements.ts';
import { type Box, heightOf, widthOf } from '../layout/geometry.ts';
import type { OcrBlock, OcrImage, OcrPage, OcrRequest, OcrTable } from '../ocr-engine.ts';
import { join, type Written, type WrittenWord } from './pieces.ts';
import { writeBlock } from './write-block.ts';
import { writeTable } from './write-table.ts';

/** Pictures and tables are numbered through the whole answer. */
export type Counters = { images: number; tables: number };

export type Composing = {
  index: number;
  content: PageContent;
  blocks: Block[];
  links: string[];
  dpi: number;
  request: Omit<OcrRequest, 'document' | 'pages'>;
  counters: Counters;
  /** The picture in a part of the page, as JPEG. */
  cut(box: Box): Promise<Buffer>;
};

type Placed = { block: Block; written: Written; name?: string };

export async function composePage({ content, blocks, request, counters, ...page }: Composing): Promise<OcrPage> {
  const images: OcrImage[] = [];
  const tables: OcrTable[] = [];
  const placed: Placed[] = [];
  for (const block of blocks) {
    if (block.type === 'image') {
      if (!isWanted(block.box, request, counters)) continue;
      const id = `img-${counters.images++}.jpeg`;
      const bytes = request.includeImages ? await page.cut(block.box) : undefined;
      images.push({
        id,
        ...cornersOf(block.box, content),
        image_base64: bytes ? `data:image/jpeg;base64,${bytes.toString('base64')}` : null,
      });
      placed.push({ block, written: writeBlock(block, id), name: id });
    } else if (block.type === 'table' && request.tableFormat && block.table) {
      const id = `tbl-${counters.tables++}.${request.tableFormat === 'html' ? 'html' : 'md'}`;
      const { text, words } = writeTable(block.table, request.tableFormat);
      const format = request.tableFormat;
      tables.push({
        id,
        content: text,
        format,
        word_confidence_scores: request.confidence === 'word' ? words.map(rounded) : null,
      });
      placed.push({ block, written: writeBlock(block, id), name: id });
    } else placed.push({ block, written: writeBlock(block, undefined) });
  }
  const isOut = ({ block }: Placed) =>
    (block.type === 'header' && request.extractHeader) || (block.type === 'footer' && request.extractFooter);
  const markdown = join(
    placed.filter((part) => !isOut(part)).map(({ written }) => written),
    '\n\n',
  );
  const margin = (type: 'header' | 'footer') =>
    placed
      .filter(({ block }) => block.type === type)
      .map(({ written }) => written.text)
      .join('\n') || null;
  return {
    index: page.index,
    markdown: markdown.text,
    images,
    tables,
    hyperlinks: page.links,
    header: request.extractHeader ? margin('header') : null,
    footer: request.extractFooter ? margin('footer') : null,
    dimensions: { dpi: page.dpi, height: content.height, width: content.width },
    confidence_scores:
      request.confidence === undefined ? null : pageScores(content, markdown, request.confidence === 'word'),
    blocks: request.includeBlocks ? placed.map((part) => toBlock(part, content, tables, request)) : null,
  };
}

function isWanted(box: Box, { imageLimit, imageMinSize = 0 }: Composing['request'], { images }: Counters): boolean {
  return (imageLimit === undefined || images < imageLimit) && Math.min(widthOf(box), heightOf(box)) >= imageMinSize;
}

function toBlock(
  { block, written, name }: Placed,
  content: PageContent,
  tables: OcrTable[],
  { confidence }: Composing['request'],
): OcrBlock {
  const table = block.type === 'table' ? tables.find(({ id }) => id === name) : undefined;
  return {
    type: block.type,
    ...cornersOf(block.box, content),
    content: table ? table.content : written.text,
    ...(block.type === 'image' && name !== undefined && { image_id: name }),
    ...(block.type === 'table' && { table_id: name ?? null }),
    confidence_scores: confidence === 'block' ? blockScores(block) : null,
  };
}

function blockScores(block: Block): NonNullable<OcrBlock['confidence_scores']> {
  const lines = block.table
    ? block.table.rows.flat().flatMap((cell) => cell?.lines ?? [])
    : block.paragraphs.flatMap((part) => part.lines);
  const confidences = lines.flatMap(({ words }) => words.map(({ confidence }) => confidence));
  const { average, minimum } = scoresOf(confidences);
  return {
    average_content_confidence_score: average ?? null,
    minimum_content_confidence_score: minimum ?? null,
    // Blocks are classified by rules, which have no score.
    block_type_confidence_score: null,
  };
}

function pageScores(
  { words }: PageContent,
  markdown: Written,
  withWords: boolean,
): NonNullable<OcrPage['confidence_scores']> {
  // Of an empty page it is certain that nothing is there.
  const { average = 1, minimum = 1 } = scoresOf(words.map(({ confidence }) => confidence));
  return {
    average_page_confidence_score: average,
    minimum_page_confidence_score: minimum,
    ...(withWords && { word_confidence_scores: markdown.words.map(rounded) }),
  };
}

function scoresOf(confidences: number[]): { average?: number; minimum?: number } {
  if (confidences.length === 0) return {};
  const sum = confidences.reduce((total, confidence) => total + confidence, 0);
  return { average: round(sum / confidences.length), minimum: round(confidences.reduce((a, b) => Math.min(a, b))) };
}

const round = (value: number) => Math.round(value * 10_000) / 10_000;
const rounded = (word: WrittenWord): WrittenWord => ({ ...word, confidence: round(word.confidence) });

/** Whole pixels inside the page. */
function cornersOf({ x0, y0, x1, y1 }: Box, { width, height }: PageContent) {
  const within = (value: number, max: number) => Math.min(Math.max(0, value), max);
  return {
    top_left_x: within(Math.floor(x0), width),
    top_left_y: within(Math.floor(y0), height),
    bottom_right_x: within(Math.ceil(x1), width),
    bottom_right_y: within(Math.ceil(y1), height),
  };
}

import { Refusal } from '../../process/protocol.ts';
import type { Block, DocumentChunk, TextBox } from '../read-engine.ts';
import { splitSentences } from './split-sentences.ts';
import { splitTable } from './split-table.ts';

/** Part of a chunk that is repeated at the beginning of the next one. */
const OVERLAP = 0.15;
/** A table stays whole up to this many times the length of a chunk. */
const TABLE_FACTOR = 4;

type TextBlock = Block & { kind: Exclude<Block['kind'], 'margin'> };
const isText = (block: Block): block is TextBlock => block.kind !== 'margin';

type Piece = { text: string; boxes: TextBox[] };

/** Chunks of about the wanted length that do not cross headings or pages; neighbours overlap by a few sentences. */
export function splitBlocks(all: readonly Block[], chunkCharacters: number, chunksMax: number): DocumentChunk[] {
  const blocks = all.filter(isText);
  const chunks: DocumentChunk[] = [];
  let headings: { level: number; text: string }[] = [];
  /** The heading of the section, until its first chunk has it. */
  let title: Piece | undefined;
  let pieces: Piece[] = [];
  let length = 0;
  let page: number | null = null;
  let pageStart: number | null = null;

  function push(kind: DocumentChunk['kind'], text: string, boxes: TextBox[], parent: number | null): number {
    const position = chunks.length;
    if (position >= chunksMax)
      throw new Refusal('document_too_large', `The document has more than ${chunksMax} passages.`);
    chunks.push({ position, text, kind, headings: headings.map((heading) => heading.text), page, boxes, parent });
    pageStart ??= position;
    return position;
  }

  function flush(): void {
    if (pieces.length > 0)
      push(
        'text',
        pieces.map(({ text }) => text).join('\n\n'),
        pieces.flatMap(({ boxes }) => boxes),
        null,
      );
    pieces = [];
    length = 0;
  }

  function addPiece(piece: Piece): void {
    if (length > 0 && length + piece.text.length > chunkCharacters) {
      const overlap = tailOf(pieces, chunkCharacters * OVERLAP);
      flush();
      if (overlap && overlap.text.length + piece.text.length <= chunkCharacters) {
        pieces = [overlap];
        length = overlap.text.length;
      }
    }
    pieces.push(piece);
    length += piece.text.length + 2;
  }

  function takeTitle(): Piece[] {
    const taken = title ? [title] : [];
    title = undefined;
    return taken;
  }

  function addText({ text, boxes = [] }: Block): void {
    for (const part of takeTitle()) addPiece(part);
    // Shorter than a chunk, so that the overlap fits in before it.
    const partMax = Math.floor(chunkCharacters * (1 - OVERLAP)) - 2;
    const parts = text.length <= partMax ? [text] : splitSentences(text, partMax);
    for (const part of parts) addPiece({ text: part, boxes });
  }

  /** In chunks of their own. What continues a table or a listing belongs to its first chunk. */
  function addWhole(kind: 'table' | 'code' | 'notes', { text, boxes = [] }: Block): void {
    flush();
    const before = takeTitle();
    const parts =
      kind === 'table'
        ? splitTable(text, chunkCharacters, chunkCharacters * TABLE_FACTOR)
        : text.length <= chunkCharacters * 1.5
          ? [text]
          : splitSentences(text, chunkCharacters);
    let parent = kind === 'notes' && pageStart !== null && page !== null ? pageStart : null;
    for (const [at, part] of parts.entries()) {
      const whole = at === 0 ? [...before.map((piece) => piece.text), part].join('\n\n') : part;
      const position = push(
        kind,
        whole,
        at === 0 ? [...before.flatMap((piece) => piece.boxes), ...boxes] : boxes,
        parent,
      );
      parent ??= position;
    }
  }

  function flushTitle(): void {
    flush();
    for (const { text, boxes } of takeTitle()) push('text', text, boxes, null);
  }

  for (const block of blocks) {
    if (block.page !== page) {
      flushTitle();
      page = block.page;
      pageStart = null;
    }
    if (block.kind === 'heading') {
      const level = block.level ?? 1;
      const isNested = title !== undefined && level > (headings.at(-1)?.level ?? 0);
      if (isNested) flush();
      else flushTitle();
      headings = [...headings.filter((heading) => heading.level < level), { level, text: block.text }];
      const above = isNested ? title : undefined;
      const boxes = [...(above?.boxes ?? []), ...(block.boxes ?? [])];
      title = { text: above ? `${above.text}\n\n${block.text}` : block.text, boxes };
    } else if (block.kind === 'text') addText(block);
    else if (block.kind === 'code' && block.text.length <= chunkCharacters && isCodeOnly(blocks)) addText(block);
    else addWhole(block.kind, block);
  }
  flushTitle();
  if (isCodeOnly(blocks)) for (const chunk of chunks) chunk.kind = 'code';
  return chunks;

  /** The last sentences of what was collected. */
  function tailOf(collected: readonly Piece[], charactersMax: number): Piece | undefined {
    const last = collected.at(-1);
    if (!last) return undefined;
    let text = '';
    for (const sentence of splitSentences(last.text, charactersMax, 1).toReversed()) {
      if (text.length + sentence.length > charactersMax) break;
      text = text === '' ? sentence : `${sentence} ${text}`;
    }
    return text === '' ? undefined : { text, boxes: last.boxes };
  }
}

/** Small functions of a source file share chunks; a listing in a text stands alone. */
function isCodeOnly(blocks: readonly Block[]): boolean {
  return blocks[0]?.kind === 'code' && blocks.at(-1)?.kind === 'code' && blocks.every(({ kind }) => kind === 'code');
}

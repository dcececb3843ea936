import type { Block, Line } from '../layout/elements.ts';
import { linesOf } from '../layout/find-blocks.ts';
import { join, literally, type Written } from './pieces.ts';
import { type TableFormat, writeTable } from './write-table.ts';
import { writeLines, writeParagraph } from './write-text.ts';

/** A block as Markdown, or as what stands for it there: `name` is what a picture or a table of its own is called. */
export function writeBlock(block: Block, name: string | undefined, format: TableFormat = 'markdown'): Written {
  const lines = linesOf(block);
  switch (block.type) {
    case 'image':
      return literally(`![${name}](${name})`);
    case 'table':
      if (name !== undefined) return literally(`[${name}](${name})`);
      return block.table ? writeTable(block.table, format) : literally('');
    case 'title':
      return join([literally(`${'#'.repeat(block.level ?? 3)} `), writeParagraph(lines)]);
    case 'list':
      return join(block.paragraphs.map(writeItem), '\n');
    case 'code':
      return join([literally('```'), writeLines(lines), literally('```')], '\n');
    case 'equation':
      return join([literally('$$'), writeParagraph(lines), literally('$$')], '\n');
    case 'header':
    case 'footer':
      return join(block.paragraphs.map(writeMargin), '\n');
    default:
      return writeParagraph(lines, escapeStart(lines[0]));
  }
}

function writeItem({ lines, marker = '-' }: Block['paragraphs'][number]): Written {
  return join([literally(`${marker} `), writeParagraph(lines)]);
}

/** "- 3 -" began as an item of a list does. */
function writeMargin(paragraph: Block['paragraphs'][number]): Written {
  const { lines, marker } = paragraph;
  return marker === undefined ? writeParagraph(lines, escapeStart(lines[0])) : writeItem(paragraph);
}

/** A paragraph that begins like a title of Markdown is none. */
function escapeStart(first: Line | undefined) {
  const start = first?.words[0]?.text ?? '';
  return (text: string) => (text === start && /^#{1,6}$/.test(text) ? `\\${text}` : text);
}

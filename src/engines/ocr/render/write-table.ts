import type { Cell, Line, Table } from '../layout/elements.ts';
import { largestOf } from '../layout/geometry.ts';
import { join, literally, nothing, type Written } from './pieces.ts';
import { writeParagraph } from './write-text.ts';

export type TableFormat = 'markdown' | 'html';

export function writeTable(table: Table, format: TableFormat): Written {
  return format === 'html' ? writeHtml(table) : writeMarkdown(table);
}

/** Markdown has no cells over several columns: their text goes into the first. */
function writeMarkdown({ rows }: Table): Written {
  const columns = largestOf(rows.map((row) => row.length));
  const written = rows.map((row) =>
    join([
      literally('|'),
      ...Array.from({ length: columns }, (_, i) => join([literally(' '), contentOf(row[i], inPipes), literally(' |')])),
    ]),
  );
  const [head, ...body] = written;
  const line = literally(`|${' --- |'.repeat(columns)}`);
  return join([head ?? nothing(), line, ...body], '\n');
}

function writeHtml({ rows }: Table): Written {
  const written = rows.map((row, at) => {
    const tag = at === 0 ? 'th' : 'td';
    const cells = row.flatMap((cell) => (cell ? [cellOf(cell, tag)] : []));
    return join([literally('<tr>'), ...cells, literally('</tr>')]);
  });
  return join([literally('<table>'), ...written, literally('</table>')], '');
}

function cellOf(cell: Cell, tag: string): Written {
  const span = cell.columns > 1 ? ` colspan="${cell.columns}"` : '';
  return join([literally(`<${tag}${span}>`), contentOf(cell, inHtml), literally(`</${tag}>`)]);
}

function contentOf(cell: Cell | undefined, escapeText: (text: string) => string): Written {
  return cell ? writeParagraph(cell.lines satisfies Line[], escapeText) : nothing();
}

const inPipes = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|');
const inHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

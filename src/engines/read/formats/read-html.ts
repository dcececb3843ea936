import type { BlockCollector } from '../collect-blocks.ts';
import { type Attributes, tokenize } from '../markup/tokenize.ts';
import { writeTable } from '../write-table.ts';

const BREAKS = new Set(
  (
    'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr ' +
    'html legend li main nav ol option p section summary ul'
  ).split(' '),
);
/** Elements that show no text of their own. */
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math', 'iframe', 'object', 'canvas']);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const HIDING_STYLE =
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(\.0+)?(px|pt|em|rem|%)?\s*(;|$|!)|opacity\s*:\s*0(\.0+)?\s*(;|$|!)|(^|[;\s])color\s*:\s*(transparent|rgba\([^)]*,\s*0\s*\))/i;
const LIST_DEPTH_MAX = 8;

type Skipped = { name: string; depth: number; isHidden: boolean };

/** Headings, paragraphs, lists, tables and code of a page, as a browser without scripts and style sheets shows them. */
export function readHtml(source: string, to: BlockCollector): void {
  let text = '';
  let heading = 0;
  let lists = 0;
  let pre = 0;
  let isItem = false;
  let inTitle = false;
  let skipped: Skipped | undefined;
  let tables: { rows: string[][]; cell: string | undefined }[] = [];

  function flush(): void {
    const content = text;
    text = '';
    if (content.trim() === '') return;
    if (heading > 0) to.add('heading', content.replace(/\s+/g, ' '), heading);
    else if (pre > 0) to.add('code', content);
    else {
      const prefix = isItem ? `${'  '.repeat(Math.max(0, Math.min(lists, LIST_DEPTH_MAX) - 1))}- ` : '';
      isItem = false;
      to.add('text', prefix + content.replace(/[^\S\n]+/g, ' ').trim());
    }
  }

  function open(name: string, attributes: Attributes): void {
    const table = tables.at(-1);
    if (name === 'br') append('\n');
    else if (name === 'img') append(attributes.get('alt') ?? '');
    else if (name === 'html') to.language ??= attributes.get('lang')?.slice(0, 35) || null;
    else if (name === 'table') {
      if (tables.length === 0) flush();
      tables.push({ rows: [], cell: undefined });
    } else if (table && name === 'tr') endCell(table, []);
    else if (table && (name === 'td' || name === 'th')) {
      endCell(table);
      table.cell = '';
    } else if (table) return;
    else if (/^h[1-6]$/.test(name)) {
      flush();
      heading = Number(name[1]);
    } else if (name === 'pre') {
      flush();
      pre++;
    } else if (BREAKS.has(name)) {
      flush();
      if (name === 'ul' || name === 'ol') lists++;
      if (name === 'li') isItem = true;
    }
  }

  function close(name: string): void {
    const table = tables.at(-1);
    if (table && name === 'table') endTable(table);
    else if (table && (name === 'td' || name === 'th' || name === 'tr')) endCell(table);
    else if (table) return;
    else if (/^h[1-6]$/.test(name)) {
      flush();
      heading = 0;
    } else if (name === 'pre') {
      flush();
      pre = Math.max(0, pre - 1);
    } else if (BREAKS.has(name)) {
      flush();
      if (name === 'ul' || name === 'ol') lists = Math.max(0, lists - 1);
    }
  }

  function append(piece: string): void {
    const table = tables.at(-1);
    if (!table) text += piece;
    else if (table.cell !== undefined) table.cell += piece;
    else text += piece.trim() === '' ? '' : piece;
  }

  function endCell(table: (typeof tables)[number], next?: string[]): void {
    if (table.cell !== undefined) {
      if (table.rows.length === 0) table.rows.push([]);
      table.rows.at(-1)?.push(table.cell);
    }
    table.cell = undefined;
    if (next) table.rows.push(next);
  }

  /** A table in a cell becomes text of the cell; one of a single column only arranges a page. */
  function endTable(table: (typeof tables)[number]): void {
    endCell(table);
    tables = tables.slice(0, -1);
    if (tables.length > 0) {
      append(` ${table.rows.map((row) => row.join(' ')).join(' ')} `);
      return;
    }
    const rows = table.rows.filter((row) => row.length > 0);
    if (rows.every((row) => row.length === 1)) for (const row of rows) to.add('text', row[0] ?? '');
    else to.add('table', writeTable(rows));
    flush();
  }

  tokenize(source, 'html', {
    open(name, attributes, isEmpty) {
      if (VOID.has(name)) {
        if (!skipped) open(name, attributes);
        return;
      }
      if (skipped) {
        if (name === skipped.name && !isEmpty) skipped.depth++;
        return;
      }
      const isHidden = attributes.has('hidden') || HIDING_STYLE.test(attributes.get('style') ?? '');
      if (isHidden || SILENT.has(name)) {
        if (!isEmpty || !SILENT.has(name)) skipped = { name, depth: 1, isHidden };
      } else if (name === 'title' && to.title === null) inTitle = true;
      else open(name, attributes);
    },
    close(name) {
      if (skipped) {
        if (name === skipped.name && --skipped.depth === 0) skipped = undefined;
      } else if (name === 'title') inTitle = false;
      else close(name);
    },
    text(piece) {
      if (skipped) {
        if (skipped.isHidden) to.hide(piece);
      } else if (inTitle) to.title = piece.replace(/\s+/g, ' ').trim() || null;
      else append(pre > 0 ? piece : piece.replace(/\s+/g, ' '));
    },
  });
  for (const table of tables.toReversed()) endTable(table);
  flush();
}

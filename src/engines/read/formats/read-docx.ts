import type { BlockCollector } from '../collect-blocks.ts';
import { type Attributes, tokenize } from '../markup/tokenize.ts';
import type { Zip } from '../open-zip.ts';
import { writeTable } from '../write-table.ts';
import { readProperties } from './office-parts.ts';

const HALF_POINTS_MIN = 4;
const WHITE = /^(fff){1,2}$/i;

const MARGINS = /^word\/(header|footer)\d*\.xml$/;

/** Paragraphs, headings, lists, tables, foot- and endnotes of a Word document; headers and footers as margins. */
export async function readDocx(zip: Zip, to: BlockCollector): Promise<void> {
  const { title, language } = await readProperties(zip);
  to.title = title;
  to.language = language;
  const levels = readLevels((await zip.readXml('word/styles.xml')) ?? '');
  const body = (await zip.readXml('word/document.xml')) ?? '';
  if (/<w:lastRenderedPageBreak|<w:br [^>]{0,200}w:type="page"/.test(body)) to.nextPage();
  readBody(body, levels, to, 'text');
  for (const part of ['word/footnotes.xml', 'word/endnotes.xml', 'word/comments.xml'])
    readBody((await zip.readXml(part)) ?? '', levels, to, 'notes');
  // Which pages have which is decided when they are printed, so they are with the first; sections often have the same ones.
  if (to.page !== null) to.page = 0;
  const margins = new Set<string>();
  for (const name of zip.names) if (MARGINS.test(name)) margins.add((await zip.readXml(name)) ?? '');
  for (const margin of margins) readBody(margin, levels, to, 'margin');
}

/** The level of each style that makes headings; 0 of one that makes items of lists. */
function readLevels(xml: string): Map<string, number> {
  const levels = new Map<string, number>();
  let style = '';
  tokenize(xml, 'xml', {
    open(name, attributes) {
      if (name === 'w:style') style = attributes.get('w:styleId') ?? '';
      const value = attributes.get('w:val') ?? '';
      if (name === 'w:name' && /^(heading [1-9]|title)$/i.test(value))
        levels.set(style, value.toLowerCase() === 'title' ? 1 : Number(value.at(-1)));
      if (name === 'w:name' && /^list (bullet|number)/i.test(value)) levels.set(style, 0);
      if (name === 'w:outlineLvl' && /^[0-8]$/.test(value)) levels.set(style, Number(value) + 1);
    },
    close: () => undefined,
    text: () => undefined,
  });
  return levels;
}

type Paragraph = { text: string; level: number | undefined; isItem: boolean };

function readBody(
  xml: string,
  levels: Map<string, number>,
  to: BlockCollector,
  kind: 'text' | 'notes' | 'margin',
): void {
  let paragraph: Paragraph = { text: '', level: undefined, isItem: false };
  let inText = false;
  let inRunProperties = false;
  let inRun = false;
  let isHidden = false;
  let fallback = 0;
  /** Rows of the tables that are open; the innermost last. */
  const tables: string[][][] = [];

  function endParagraph(): void {
    const { text, level, isItem } = paragraph;
    paragraph = { text: '', level: undefined, isItem: false };
    const cells = tables.at(-1)?.at(-1);
    if (tables.length > 0) {
      if (cells?.length) cells[cells.length - 1] += `${text} `;
    } else if (level !== undefined && kind === 'text') to.add('heading', text, level);
    else if (text.trim() !== '') to.add(kind, isItem ? `- ${text}` : text);
  }

  function endTable(): void {
    const rows = tables.pop() ?? [];
    const cells = tables.at(-1)?.at(-1);
    if (cells?.length) cells[cells.length - 1] += rows.map((row) => row.join(' ')).join(' ');
    else if (tables.length === 0 && kind === 'margin') for (const row of rows) to.add(kind, row.join(' '));
    else if (tables.length === 0) to.add('table', writeTable(rows));
  }

  function open(name: string, attributes: Attributes): void {
    const value = attributes.get('w:val') ?? '';
    switch (name) {
      case 'w:r':
        inRun = true;
        isHidden = false;
        return;
      case 'w:rPr':
        inRunProperties = inRun;
        return;
      case 'w:vanish':
        if (inRunProperties && value !== '0' && value !== 'false') isHidden = true;
        return;
      case 'w:color':
        if (inRunProperties && WHITE.test(value)) isHidden = true;
        return;
      case 'w:sz':
        if (inRunProperties && Number(value) < HALF_POINTS_MIN) isHidden = true;
        return;
      case 'w:shd':
      case 'w:highlight':
        // White letters on a dark ground can be seen.
        if (inRunProperties && !WHITE.test(attributes.get('w:fill') ?? 'ffffff')) isHidden = false;
        return;
      case 'w:t':
        inText = true;
        return;
      case 'w:tab':
        if (inRun) paragraph.text += '\t';
        return;
      case 'w:br':
      case 'w:lastRenderedPageBreak':
        if (name !== 'w:br' || attributes.get('w:type') === 'page') turnPage();
        else paragraph.text += '\n';
        return;
      case 'w:pStyle':
        if (levels.get(value) === 0) paragraph.isItem = true;
        else paragraph.level = levels.get(value) ?? paragraph.level;
        return;
      case 'w:outlineLvl':
        if (/^[0-8]$/.test(value)) paragraph.level = Number(value) + 1;
        return;
      case 'w:numPr':
        paragraph.isItem = true;
        return;
      case 'w:tbl':
        tables.push([]);
        return;
      case 'w:tr':
        tables.at(-1)?.push([]);
        return;
      case 'w:tc':
        tables.at(-1)?.at(-1)?.push('');
    }
  }

  /** A break before the first letter belongs to the paragraph before. */
  function turnPage(): void {
    if (kind !== 'text') return;
    if (paragraph.text.trim() !== '' && tables.length === 0 && paragraph.level === undefined) {
      to.add(kind, paragraph.text);
      paragraph.text = '';
    }
    to.nextPage();
  }

  tokenize(xml, 'xml', {
    open(name, attributes, isEmpty) {
      // The same content again, for programs that do not know the newer form.
      if (name === 'mc:Fallback' && !isEmpty) fallback++;
      if (fallback === 0) open(name, attributes);
      if (isEmpty && name === 'w:t') inText = false;
    },
    close(name) {
      if (name === 'mc:Fallback') fallback = Math.max(0, fallback - 1);
      if (fallback > 0) return;
      if (name === 'w:t') inText = false;
      else if (name === 'w:rPr') inRunProperties = false;
      else if (name === 'w:r') {
        inRun = false;
        isHidden = false;
      } else if (name === 'w:p') endParagraph();
      else if (name === 'w:tbl') endTable();
    },
    text(text) {
      if (!inText || fallback > 0) return;
      if (isHidden) to.hide(text);
      else paragraph.text += text;
    },
  });
  endParagraph();
}

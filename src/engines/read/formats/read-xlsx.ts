import type { BlockCollector } from '../collect-blocks.ts';
import { tokenize } from '../markup/tokenize.ts';
import type { Zip } from '../open-zip.ts';
import { writeTable } from '../write-table.ts';
import { eachElement, readProperties, readRelations } from './office-parts.ts';

/** A sheet that is wider holds something else than a table to read. */
const COLUMNS_MAX = 1024;
const DAY_MS = 86_400_000;
/** Day 0 of a spreadsheet. */
const EPOCH_MS = Date.UTC(1899, 11, 30);
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);

/** Sheets: a page each, its name as heading, its cells as a table. */
export async function readXlsx(zip: Zip, to: BlockCollector): Promise<void> {
  to.title = (await readProperties(zip)).title;
  const relations = await readRelations(zip, 'xl/workbook.xml');
  const strings = readStrings((await zip.readXml('xl/sharedStrings.xml')) ?? '');
  const isDate = readDateStyles((await zip.readXml('xl/styles.xml')) ?? '');
  const sheets: { name: string; target: string; isHidden: boolean }[] = [];
  eachElement((await zip.readXml('xl/workbook.xml')) ?? '', (name, attributes) => {
    const target = name === 'sheet' ? relations.get(attributes.get('r:id') ?? '')?.target : undefined;
    const state = attributes.get('state');
    const isHidden = state === 'hidden' || state === 'veryHidden';
    if (target) sheets.push({ name: attributes.get('name') ?? '', target, isHidden });
  });
  for (const { name, target, isHidden } of sheets) {
    const table = writeTable(readCells((await zip.readXml(target)) ?? '', strings, isDate));
    if (isHidden) {
      to.hide(table);
      continue;
    }
    to.nextPage();
    to.add('heading', name, 1);
    to.add('table', table);
  }
}

function readStrings(xml: string): string[] {
  const strings: string[] = [];
  let inText = false;
  let phonetic = false;
  tokenize(xml, 'xml', {
    open(name, _attributes, isEmpty) {
      if (name === 'si') strings.push('');
      else if (name === 'rPh') phonetic = !isEmpty;
      else if (name === 't') inText = !isEmpty;
    },
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'rPh') phonetic = false;
    },
    text(text) {
      if (inText && !phonetic && strings.length > 0) strings[strings.length - 1] += text;
    },
  });
  return strings;
}

/** The numbers of the styles whose cells are dates. */
function readDateStyles(xml: string): (style: number) => boolean {
  const formats = new Set(DATE_FORMATS);
  const styles: number[] = [];
  let inCells = false;
  tokenize(xml, 'xml', {
    open(name, attributes) {
      if (name === 'numFmt') {
        const code = (attributes.get('formatCode') ?? '').replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
        if (/[ymdhs]/i.test(code) && !/[#0?]{2}/.test(code)) formats.add(Number(attributes.get('numFmtId')));
      } else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) styles.push(Number(attributes.get('numFmtId') ?? 0));
    },
    close(name) {
      if (name === 'cellXfs') inCells = false;
    },
    text: () => undefined,
  });
  return (style) => formats.has(styles[style] ?? -1);
}

function readCells(xml: string, strings: readonly string[], isDate: (style: number) => boolean): string[][] {
  const rows: string[][] = [];
  let cell: { column: number; type: string; style: number; value: string } | undefined;
  let inValue = false;
  tokenize(xml, 'xml', {
    open(name, attributes, isEmpty) {
      if (name === 'row') rows.push([]);
      else if (name === 'c' && !isEmpty)
        cell = {
          column: columnOf(attributes.get('r') ?? '') ?? rows.at(-1)?.length ?? 0,
          type: attributes.get('t') ?? 'n',
          style: Number(attributes.get('s') ?? -1),
          value: '',
        };
      else if ((name === 'v' || name === 't') && cell) inValue = !isEmpty;
    },
    close(name) {
      if (name === 'v' || name === 't') inValue = false;
      if (name !== 'c' || !cell) return;
      const row = rows.at(-1);
      if (row && cell.column < COLUMNS_MAX) {
        while (row.length < cell.column) row.push('');
        row[cell.column] = show(cell.type, cell.style, cell.value);
      }
      cell = undefined;
    },
    text(text) {
      if (inValue && cell) cell.value += text;
    },
  });
  return rows;

  function show(type: string, style: number, value: string): string {
    if (type === 's') return strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (type !== 'n' || value === '' || !isDate(style)) return value;
    return dateOf(Number(value)) ?? value;
  }
}

/** `BC12` is column 54. */
function columnOf(reference: string): number | undefined {
  const letters = /^([A-Z]{1,3})\d/.exec(reference)?.[1];
  if (!letters) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function dateOf(days: number): string | undefined {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return undefined;
  const iso = new Date(EPOCH_MS + Math.round(days * DAY_MS)).toISOString();
  if (days < 1) return iso.slice(11, 16);
  return Number.isInteger(days) ? iso.slice(0, 10) : iso.slice(0, 16).replace('T', ' ');
}

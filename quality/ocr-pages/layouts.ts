import { rgb } from 'pdf-lib';
import { type Drawn, drawSheet, type FontName, type Sheet } from './draw-sheet.ts';
import { type LanguageCode, TEXTS } from './texts.ts';

/** A4 in points. */
const [A4_WIDTH, A4_HEIGHT] = [595, 842];
const WHITE = rgb(1, 1, 1);
const NIGHT = rgb(0.1, 0.14, 0.25);
const SEA = rgb(0.13, 0.38, 0.55);
const PALE = rgb(0.9, 0.93, 0.96);

/** Two lines of large letters and nothing else. */
export const shortInvoice = () =>
  drawSheet(900, 300, (sheet) => {
    sheet.text('Invoice 4711', { x: 40, y: 60, size: 48 });
    sheet.text('Total due: 99 euros', { x: 40, y: 160, size: 48 });
  });

type SlideLook = 'plain' | 'dark' | 'bar' | 'underlined';

/** A title, a subtitle and points, 1280 by 720. */
export function slide(language: LanguageCode, look: SlideLook, font: FontName = 'bold'): Promise<Drawn> {
  const { title, subtitle, points } = TEXTS[language];
  return drawSheet(1280, 720, (sheet) => {
    if (look === 'dark') sheet.box(0, 0, 1280, 720, NIGHT);
    if (look === 'bar') sheet.box(0, 0, 1280, 170, SEA);
    if (look === 'underlined') sheet.line(80, 172, 1200, 172, 4);
    const ink = look === 'dark' ? WHITE : rgb(0.1, 0.1, 0.1);
    sheet.text(title, { x: 80, y: 50, size: 76, font, color: look === 'bar' ? WHITE : ink });
    sheet.text(subtitle, { x: 80, y: 200, size: 44, color: ink });
    for (const [i, point] of points.entries()) {
      sheet.box(86, 312 + i * 90, 12, 12, ink);
      sheet.text(point, { x: 120, y: 300 + i * 90, size: 34, color: ink });
    }
  });
}

/** Letters of eight sizes, one under the other, in pixels. */
export function headings(language: LanguageCode, font: FontName): Promise<Drawn> {
  const { title, points } = TEXTS[language];
  return drawSheet(font === 'mono' ? 1300 : 1100, 640, (sheet) => {
    let y = 20;
    for (const [i, size] of [96, 72, 48, 36, 24, 18].entries())
      y = sheet.text(i < 3 ? title : (points[i - 3] as string), { x: 30, y, size, font }) + 12;
    for (const size of [14, 12]) y = sheet.text(points[3] as string, { x: 30, y, size, font }) + 10;
    sheet.text(points[0] as string, { x: 30, y, size: 8, font });
  });
}

/** Nothing but words of one size on a picture as wide as a screen. */
export function oneSize(language: LanguageCode, size: number, font: FontName): Promise<Drawn> {
  const { points, title } = TEXTS[language];
  const lines = size > 40 ? [title, points[1] as string] : points;
  const width = Math.round(Math.max(...lines.map((line) => line.length)) * size * 0.66 + 60);
  return drawSheet(width, Math.round(lines.length * size * 1.6 + 50), (sheet) => {
    for (const [i, line] of lines.entries()) sheet.text(line, { x: 30, y: 25 + i * size * 1.6, size, font });
  });
}

export function letter(language: LanguageCode, font: FontName = 'serif', size = 11): Promise<Drawn> {
  const { title, subtitle, paragraphs } = TEXTS[language];
  return drawSheet(A4_WIDTH, A4_HEIGHT / 2, (sheet) => {
    sheet.text(title, { x: 60, y: 40, size: size * 1.8, font });
    let y = sheet.text(subtitle, { x: 60, y: 70, size: size * 1.2, font }) + 10;
    for (const paragraph of paragraphs) y = sheet.text(paragraph, { x: 60, y, size, font, width: 475 }) + size;
  });
}

export function twoColumns(language: LanguageCode, font: FontName = 'serif', isParted = false): Promise<Drawn> {
  const { title, paragraphs } = TEXTS[language];
  return drawSheet(A4_WIDTH, A4_HEIGHT / 2, (sheet) => {
    sheet.text(title, { x: 50, y: 40, size: 22, font: 'bold' });
    if (isParted) sheet.line(297, 85, 297, 400, 0.8);
    for (const [x, own] of [
      [50, paragraphs.slice(0, 2)],
      [310, paragraphs.slice(2)],
    ] as const) {
      let y = 88;
      for (const paragraph of own) y = sheet.text(paragraph, { x, y, size: 11, font, width: 235 }) + 10;
    }
  });
}

/** With lines around all cells, only under its head, or bands of colour. */
type TableLook = 'grid' | 'rows' | 'bands';

export function invoice(language: LanguageCode, look: TableLook, font: FontName = 'sans'): Promise<Drawn> {
  const { title, labels, items, note } = TEXTS[language].invoice;
  const [what, count, amount, total, date, terms] = labels as [string, string, string, string, string, string];
  const sum = items.reduce((all, [, , price]) => all + Number(price.replace(',', '.')), 0).toFixed(2);
  return drawSheet(A4_WIDTH, 460, (sheet) => {
    sheet.text(title, { x: 50, y: 40, size: 26, font: 'bold' });
    sheet.text(date, { x: 50, y: 84, size: 11, font });
    sheet.text(terms, { x: 50, y: 102, size: 11, font });
    const rows = [[what, count, amount], ...items, [total, '', language === 'eng' ? sum : sum.replace('.', ',')]];
    drawTable(sheet, rows as string[][], { y: 140, look, font });
    sheet.text(note, { x: 50, y: 330, size: 10, font, width: 480 });
  });
}

function drawTable(
  sheet: Sheet,
  rows: string[][],
  { y, look, font, height = 30 }: { y: number; look: TableLook; font: FontName; height?: number },
): void {
  const edges = [50, 310, 410, 545];
  const bottom = y + rows.length * height;
  if (look === 'bands')
    for (let row = 0; row < rows.length; row += 2) sheet.box(50, y + row * height, 495, height, PALE);
  if (look === 'grid') for (const x of edges) sheet.line(x, y, x, bottom, 0.8);
  if (look !== 'bands')
    for (let row = 0; row <= rows.length; row++) sheet.line(50, y + row * height, 545, y + row * height, 0.8);
  for (const [row, [name = '', count = '', price = '']] of rows.entries()) {
    const top = y + row * height + 8;
    sheet.text(name, { x: 58, y: top, size: 12, font });
    if (count !== '') sheet.textTo(count, { x: 400, y: top, size: 12, font });
    sheet.textTo(price, { x: 535, y: top, size: 12, font });
  }
}

/** The same rows more often, and close together. */
export function table(language: LanguageCode, look: TableLook, font: FontName = 'sans'): Promise<Drawn> {
  const { labels, items } = TEXTS[language].invoice;
  const { points, title } = TEXTS[language];
  const names = [...items.map(([name]) => name), ...points.map((point) => point.split(' ').slice(0, 4).join(' '))];
  return drawSheet(A4_WIDTH, 360, (sheet) => {
    sheet.text(title, { x: 50, y: 30, size: 18, font: 'bold' });
    const rows = names.map((name, i) => [name, String(3 + i * 7), `${(i + 2) * 137}.50`]);
    drawTable(sheet, [labels.slice(0, 3), ...rows], { y: 70, look, font, height: 24 });
  });
}

/** Labels over lines or in boxes, with what somebody wrote on them. */
export function form(language: LanguageCode, look: 'lines' | 'boxes', font: FontName = 'sans'): Promise<Drawn> {
  const { form: labels, title } = TEXTS[language];
  const answers = ['Vandermeer', 'Johanna', 'Lindenallee 27', '8020 Graz', '0664 312 4587', '14.09.1976'];
  return drawSheet(A4_WIDTH, 400, (sheet) => {
    sheet.text(title, { x: 50, y: 30, size: 20, font: 'bold' });
    sheet.line(50, 62, 545, 62, 1.5);
    for (const [i, label] of labels.entries()) {
      const [x, y] = [50 + (i % 2) * 255, 85 + Math.floor(i / 2) * 80];
      sheet.text(label, { x: x + 4, y, size: 10, font });
      sheet.text(answers[i] as string, { x: x + 8, y: y + 22, size: 13, font: 'mono' });
      const [top, bottom] = [y + 15, y + 42];
      sheet.line(x, bottom, x + 240, bottom, 0.8);
      if (look === 'lines') continue;
      sheet.line(x, top, x + 240, top, 0.8);
      for (const side of [x, x + 240]) sheet.line(side, top, side, bottom, 0.8);
    }
  });
}

/** A narrow strip of paper from a till. */
export function receipt(language: LanguageCode): Promise<Drawn> {
  const { invoice: bill, title } = TEXTS[language];
  return drawSheet(230, 330, (sheet) => {
    sheet.text(title.toUpperCase(), { x: 20, y: 16, size: 13, font: 'mono' });
    sheet.text('14.09.2025 17:42', { x: 20, y: 38, size: 10, font: 'mono' });
    let y = 64;
    for (const [name, count, price] of bill.items) {
      sheet.text(`${count} x ${name}`, { x: 20, y, size: 10, font: 'mono' });
      y = sheet.textTo(price, { x: 210, y: y + 15, size: 10, font: 'mono' }) + 8;
    }
    for (let x = 20; x < 210; x += 8) sheet.line(x, y, x + 4, y, 0.8);
    sheet.text(bill.labels[3] as string, { x: 20, y: y + 12, size: 12, font: 'mono' });
    sheet.textTo('476,80', { x: 210, y: y + 32, size: 14, font: 'mono' });
    sheet.text(bill.note.split('. ')[0] as string, { x: 20, y: y + 64, size: 9, font: 'mono', width: 195 });
  });
}

import { toSharp } from '../../src/engines/ocr/scan/bitmap.ts';
import { drawSheet, paint } from '../ocr-pages/draw-sheet.ts';
import type { Entry, Format, SetDocument } from './make-set.ts';
import { type Section, writeDocx, writeEpub, writePptx, writeXlsx } from './write-office.ts';

/** Entries of one section. */
const SECTION = 3;
const PAGE = { width: 794, height: 1123, margin: 70 };

const writers: Record<Format, (document: SetDocument) => Promise<Uint8Array> | Uint8Array | string> = {
  md: (document) =>
    [
      `# ${document.title}`,
      ...sectionsOf(document).flatMap(({ heading, paragraphs }) => [`## ${heading}`, ...paragraphs]),
    ].join('\n\n'),
  html: (document) => `<!doctype html>${writeHtml(document)}`,
  txt: (document) => [document.title, ...sectionsOf(document).flatMap(({ paragraphs }) => paragraphs)].join('\n\n'),
  csv: (document) =>
    rowsOf(document)
      .map((row) => row.map((cell) => `"${cell}"`).join(';'))
      .join('\n'),
  docx: (document) => writeDocx(document.title, sectionsOf(document)),
  pptx: (document) => writePptx(document.title, sectionsOf(document)),
  xlsx: (document) => writeXlsx(document.title, rowsOf(document)),
  epub: (document) => writeEpub(document.title, document.language, sectionsOf(document)),
  eml: writeMail,
  py: writeCode,
  pdf: async (document) => (await drawTable(document)).pdf,
  png: drawScan,
};

/** The file of a document in its format, and its name. */
export async function writeDocument(document: SetDocument): Promise<{ filename: string; bytes: Uint8Array }> {
  const written = await writers[document.format](document);
  return {
    filename: `${document.title.replace(/[:/]/g, '')}.${document.format}`,
    bytes: Buffer.from(written as Uint8Array),
  };
}

/** A few facts under each heading, between sentences that say nothing. */
function sectionsOf({ subject, entries, filler }: SetDocument): Section[] {
  const sections: Section[] = [];
  for (let at = 0; at < entries.length; at += SECTION) {
    const part = entries.slice(at, at + SECTION);
    const number = sections.length;
    sections.push({
      heading: `${subject}, ${number + 1}`,
      paragraphs: [
        filler[number % filler.length] as string,
        ...part.map(({ statement }, i) => `${statement} ${filler[(number * SECTION + i + 2) % filler.length]}`),
      ],
    });
  }
  return sections;
}

function rowsOf({ subject, entries }: SetDocument): string[][] {
  return [['Marisel', '', ''], ...entries.map(({ label, value }: Entry) => [subject, label, value])];
}

function writeHtml(document: SetDocument): string {
  const body = sectionsOf(document)
    .map(({ heading, paragraphs }) => `<h2>${heading}</h2>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`)
    .join('');
  return `<html lang="${document.language}"><head><meta charset="utf-8"><title>${document.title}</title></head><body><nav>Marisel</nav><main><h1>${document.title}</h1>${body}</main></body></html>`;
}

function writeMail(document: SetDocument): string {
  const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
  const body = sectionsOf(document)
    .flatMap(({ paragraphs }) => paragraphs)
    .join('\r\n\r\n');
  const lines =
    Buffer.from(body)
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  return [
    'From: Office <office@marisel.example>',
    'To: All <all@marisel.example>',
    `Subject: ${encoded(document.title)}`,
    'Date: Mon, 4 Jan 2027 09:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...lines,
  ].join('\r\n');
}

function writeCode(document: SetDocument): string {
  const constants = document.entries.map(
    ({ statement, value }, i) => `# ${statement}\nSETTING_${i + 1} = ${JSON.stringify(value)}`,
  );
  return [
    `"""${document.title}. ${document.filler[0]}"""`,
    'import marisel',
    ...constants,
    'def show():\n    marisel.show(globals())',
  ].join('\n\n');
}

/** A page with text and a ruled table, born digital. */
function drawTable(document: SetDocument) {
  const { width, height, margin } = PAGE;
  return drawSheet(width, height, (sheet) => {
    let y = sheet.text(document.title, { x: margin, y: margin, size: 26, font: 'bold' }) + 12;
    y = sheet.text(document.filler.slice(0, 3).join(' '), { x: margin, y, size: 14, width: width - 2 * margin }) + 20;
    const middle = margin + 190;
    const top = y;
    sheet.line(margin, y, width - margin, y);
    for (const { label, value } of document.entries) {
      sheet.text(label, { x: margin + 8, y: y + 8, size: 14, width: middle - margin - 16 });
      y = sheet.text(value, { x: middle + 8, y: y + 8, size: 14, width: width - margin - middle - 16 }) + 8;
      sheet.line(margin, y, width - margin, y);
    }
    for (const x of [margin, middle, width - margin]) sheet.line(x, top, x, y);
  });
}

/** A page of prose as a picture. */
async function drawScan(document: SetDocument): Promise<Uint8Array> {
  const { width, height, margin } = PAGE;
  const { pdf } = await drawSheet(width, height, (sheet) => {
    let y = sheet.text(document.title, { x: margin, y: margin, size: 26, font: 'bold' }) + 16;
    for (const { paragraphs } of sectionsOf(document))
      for (const text of paragraphs)
        y = sheet.text(text, { x: margin, y, size: 15, font: 'serif', width: width - 2 * margin }) + 12;
  });
  return toSharp(await paint(pdf, { width, scale: 2 }))
    .png()
    .toBuffer();
}

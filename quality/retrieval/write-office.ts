import { zipOf } from '../../src/engines/weights/archives-for-tests.ts';

export type Section = { heading: string; paragraphs: string[] };

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function pack(parts: Record<string, string>): Buffer {
  return zipOf(Object.entries(parts).map(([path, content]) => ({ path, content: Buffer.from(content) })));
}

function relations(...rows: [id: string, type: string, target: string][]): string {
  const list = rows.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${RELATIONS}">${list.join('')}</Relationships>`;
}

const TYPES = `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`;

export function writeDocx(title: string, sections: Section[]): Buffer {
  const paragraph = (text: string, style?: string) =>
    `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
  const body = sections.flatMap(({ heading, paragraphs }) => [
    paragraph(heading, 'Heading2'),
    ...paragraphs.map((text) => paragraph(text)),
  ]);
  return pack({
    '[Content_Types].xml': TYPES,
    '_rels/.rels': relations(['r1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': `${XML}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraph(title, 'Heading1')}${body.join('')}</w:body></w:document>`,
  });
}

/** A slide for each section: on it the heading and the first sentence, in the speaker's notes the rest. */
export function writePptx(title: string, sections: Section[]): Buffer {
  const space =
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
  const shape = (type: string, lines: string[]) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${escapeXml(line)}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;
  const page = (root: string, shapes: string) =>
    `${XML}<p:${root} ${space}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${root}>`;
  const parts: Record<string, string> = {
    '[Content_Types].xml': TYPES,
    '_rels/.rels': relations(['r1', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `${XML}<p:presentation ${space}><p:sldIdLst>${sections.map((_, i) => `<p:sldId id="${256 + i}" r:id="r${i + 1}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...sections.map((_, i): [string, string, string] => [`r${i + 1}`, 'slide', `slides/slide${i + 1}.xml`]),
    ),
  };
  for (const [i, { heading, paragraphs }] of sections.entries()) {
    const [first = '', ...rest] = paragraphs;
    const half = Math.ceil(rest.length / 2);
    const shown = shape('title', [i === 0 ? title : heading]) + shape('body', [first, ...rest.slice(0, half)]);
    parts[`ppt/slides/slide${i + 1}.xml`] = page('sld', shown);
    parts[`ppt/slides/_rels/slide${i + 1}.xml.rels`] = relations([
      'r1',
      'notesSlide',
      `../notesSlides/notesSlide${i + 1}.xml`,
    ]);
    parts[`ppt/notesSlides/notesSlide${i + 1}.xml`] = page('notes', shape('body', rest.slice(half)));
  }
  return pack(parts);
}

export function writeXlsx(title: string, rows: string[][]): Buffer {
  const space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const cells = rows.map(
    (row, r) =>
      `<row r="${r + 1}">${row.map((cell, c) => `<c r="${String.fromCharCode(65 + c)}${r + 1}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`).join('')}</row>`,
  );
  return pack({
    '[Content_Types].xml': TYPES,
    '_rels/.rels': relations(['r1', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `${XML}<workbook ${space} xmlns:r="${OFFICE}"><sheets><sheet name="${escapeXml(title.replace(/[:/]/g, ''))}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['r1', 'worksheet', 'worksheets/sheet1.xml']),
    'xl/worksheets/sheet1.xml': `${XML}<worksheet ${space}><sheetData>${cells.join('')}</sheetData></worksheet>`,
  });
}

export function writeEpub(title: string, language: string, sections: Section[]): Buffer {
  const chapter = ({ heading, paragraphs }: Section, i: number) =>
    `${XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${escapeXml(title)}</title></head><body>${i === 0 ? `<h1>${escapeXml(title)}</h1>` : ''}<h2>${escapeXml(heading)}</h2>${paragraphs.map((text) => `<p>${escapeXml(text)}</p>`).join('')}</body></html>`;
  return pack({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `${XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    'OPS/book.opf': `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escapeXml(title)}</dc:title><dc:language>${language}</dc:language></metadata><manifest>${sections.map((_, i) => `<item id="c${i}" href="c${i}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine>${sections.map((_, i) => `<itemref idref="c${i}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(sections.map((section, i) => [`OPS/c${i}.xhtml`, chapter(section, i)])),
  });
}

import type { BlockCollector } from '../collect-blocks.ts';
import { tokenize } from '../markup/tokenize.ts';
import type { Zip } from '../open-zip.ts';
import { writeTable } from '../write-table.ts';
import { eachElement, readProperties, readRelations } from './office-parts.ts';

const SLIDES_MAX = 5000;
/** Placeholders that stand beside the content: numbers, dates, footers, the picture of the slide on its notes. */
const MARGINS = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);

/** Slides in their order: a page each, its title as heading, then its texts and tables, then the speaker's notes. */
export async function readPptx(zip: Zip, to: BlockCollector): Promise<void> {
  to.title = (await readProperties(zip)).title;
  const relations = await readRelations(zip, 'ppt/presentation.xml');
  const slides: string[] = [];
  eachElement((await zip.readXml('ppt/presentation.xml')) ?? '', (name, attributes) => {
    const slide = name === 'p:sldId' ? relations.get(attributes.get('r:id') ?? '') : undefined;
    if (slide && slides.length < SLIDES_MAX) slides.push(slide.target);
  });
  for (const slide of slides) {
    to.nextPage();
    readShapes((await zip.readXml(slide)) ?? '', to, 'text');
    for (const { target, type } of (await readRelations(zip, slide)).values())
      if (type.endsWith('/notesSlide')) readShapes((await zip.readXml(target)) ?? '', to, 'notes');
  }
}

function readShapes(xml: string, to: BlockCollector, kind: 'text' | 'notes'): void {
  let placeholder = '';
  let lines: string[] = [];
  let line = '';
  let inText = false;
  let rows: string[][] | undefined;
  let fallback = 0;

  function endShape(): void {
    const text = lines.join('\n');
    const isTitle = /^(title|ctrTitle)$/.test(placeholder);
    if (MARGINS.has(placeholder)) to.add('margin', text);
    else if (text.trim() !== '')
      to.add(
        kind === 'text' && isTitle ? 'heading' : kind,
        isTitle ? text.replace(/\s+/g, ' ') : text,
        isTitle ? 1 : undefined,
      );
    lines = [];
    placeholder = '';
  }

  tokenize(xml, 'xml', {
    open(name, attributes, isEmpty) {
      if (name === 'mc:Fallback' && !isEmpty) fallback++;
      if (fallback > 0) return;
      if (name === 'p:sp') endShape();
      else if (name === 'p:ph') placeholder = attributes.get('type') ?? 'body';
      else if (name === 'a:t') inText = !isEmpty;
      else if (name === 'a:br') line += '\n';
      else if (name === 'a:tbl') rows = [];
      else if (name === 'a:tr') rows?.push([]);
      else if (name === 'a:tc') rows?.at(-1)?.push('');
    },
    close(name) {
      if (name === 'mc:Fallback') fallback = Math.max(0, fallback - 1);
      if (fallback > 0) return;
      if (name === 'a:t') inText = false;
      else if (name === 'a:p') {
        const cells = rows?.at(-1);
        if (cells?.length) cells[cells.length - 1] += `${line} `;
        else if (line !== '') lines.push(line);
        line = '';
      } else if (name === 'a:tbl') {
        to.add('table', writeTable(rows ?? []));
        rows = undefined;
      } else if (name === 'p:sp') endShape();
    },
    text(text) {
      if (inText && fallback === 0) line += text;
    },
  });
  endShape();
}

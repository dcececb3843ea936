import { posix } from 'node:path';
import { Refusal } from '../../process/protocol.ts';
import type { BlockCollector } from '../collect-blocks.ts';
import type { Zip } from '../open-zip.ts';
import { eachElement, readTexts } from './office-parts.ts';
import { readHtml } from './read-html.ts';

/** Chapters in the order of the book, a page each. */
export async function readEpub(zip: Zip, to: BlockCollector): Promise<void> {
  let packagePath = '';
  eachElement((await zip.readXml('META-INF/container.xml')) ?? '', (name, attributes) => {
    if (name === 'rootfile') packagePath ||= attributes.get('full-path') ?? '';
  });
  const packageXml = await zip.readXml(packagePath);
  if (!packageXml) throw new Refusal('document_damaged', 'The book has no list of its chapters.');
  const items = new Map<string, string>();
  const chapters: string[] = [];
  const found = readTexts(packageXml);
  eachElement(packageXml, (name, attributes) => {
    if (name === 'item') items.set(attributes.get('id') ?? '', attributes.get('href') ?? '');
    if (name === 'itemref') chapters.push(attributes.get('idref') ?? '');
  });
  for (const id of new Set(chapters)) {
    const href = items.get(id);
    const chapter = href && (await zip.readXml(posix.join(posix.dirname(packagePath), decode(href))));
    if (!chapter) continue;
    to.nextPage();
    to.title = found.get('dc:title') ?? 'Book';
    readHtml(chapter, to);
  }
  to.title = found.get('dc:title') ?? null;
  to.language = found.get('dc:language') ?? to.language;
}

function decode(href: string): string {
  const path = href.split('#')[0] ?? '';
  return URL.canParse(`x:/${path}`) ? decodeURIComponent(path.replace(/%(?![0-9a-f]{2})/gi, '%25')) : path;
}

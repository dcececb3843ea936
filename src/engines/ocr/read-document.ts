import { bodySizeOf, sizesOf } from './layout/body-size.ts';
import type { PageContent } from './layout/elements.ts';
import { findBlocks } from './layout/find-blocks.ts';
import { marginsOf, markMargins } from './layout/find-margins.ts';
import type { OcrRequest } from './ocr-engine.ts';
import { openDocument } from './open-document.ts';
import type { OpenedDocument, Tools } from './opened-document.ts';
import type { OcrPart } from './protocol.ts';
import { composePage } from './render/compose-page.ts';
import { selectPages } from './select-pages.ts';

/** Pages on each side that show what repeats, and the usual size of letters. */
const NEIGHBOURS = 2;

/** The number of pages of the document, then the pages that were asked for. */
export async function* readDocument(
  { document, pages, ...request }: OcrRequest,
  tools: Tools,
  pagesMax: number,
): AsyncGenerator<OcrPart> {
  const opened = await openDocument(document, tools);
  try {
    const selected = selectPages(pages, opened.pageCount, pagesMax);
    yield { pageCount: opened.pageCount };
    const counters = { images: 0, tables: 0 };
    for (const index of selected) {
      const { content, ...page } = await opened.read(index);
      const others = neighboursOf(opened, index);
      const bodySize = bodySizeOf([content, ...others].map(sizesOf));
      const blocks = markMargins(findBlocks(content, bodySize), content, others.map(marginsOf));
      yield await composePage({ index, content, blocks, request, counters, ...page });
    }
  } finally {
    opened.close();
  }
}

function neighboursOf(opened: OpenedDocument, index: number): PageContent[] {
  const around: PageContent[] = [];
  for (let other = index - NEIGHBOURS; other <= index + NEIGHBOURS; other++) {
    if (other === index || other < 0 || other >= opened.pageCount) continue;
    const content = opened.glance(other);
    if (content) around.push(content);
  }
  return around;
}

import { Refusal } from '../process/protocol.ts';
import type { PageContent } from './layout/elements.ts';
import { findBlocks } from './layout/find-blocks.ts';
import { marginsOf, markMargins } from './layout/find-margins.ts';
import type { PageRange } from './ocr-engine.ts';
import type { OpenedDocument } from './opened-document.ts';
import type { OcrPart, SliceRequest } from './protocol.ts';
import { composePage } from './render/compose-page.ts';

/** Pages on each side that show what repeats, and the usual size of letters. */
const NEIGHBOURS = 2;

/** What will be read, then the pages that were asked for, each with the numbers to go on with. */
export async function* readPages(
  opened: OpenedDocument,
  { pages, counters, ...request }: Omit<SliceRequest, 'id' | 'document' | 'sliceMs'>,
  pagesMax: number,
): AsyncGenerator<OcrPart> {
  const selected = selectPages(pages, opened.pageCount, pagesMax);
  yield { pageCount: opened.pageCount, pages: selected };
  for (const index of selected) {
    const { content, ...page } = await opened.read(index);
    const others = neighboursOf(opened, index);
    const bodySize = bodySizeOf([content, ...others].map(sizesOf));
    const blocks = markMargins(findBlocks(content, bodySize), content, others.map(marginsOf));
    yield await composePage({ index, content, blocks, request, counters, ...page });
    if (index !== selected.at(-1)) yield { counters };
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

/** The numbers of the pages that are wanted, each once, in the order in which they were named. */
function selectPages(ranges: readonly PageRange[] | undefined, pageCount: number, pagesMax: number): number[] {
  const wanted: readonly PageRange[] = ranges ?? [[0, pageCount - 1]];
  const beyond = ranges?.find(([first]) => first >= pageCount);
  if (beyond) {
    const pages = pageCount === 1 ? 'one page' : `${pageCount} pages`;
    throw new Refusal('page_out_of_range', `The document has ${pages}, counted from 0; there is no page ${beyond[0]}.`);
  }
  const selected = new Set<number>();
  // A range may end behind the last page, as in "the first ten".
  for (const [first, last] of wanted)
    for (let page = first; page <= Math.min(last, pageCount - 1); page++) {
      selected.add(page);
      if (selected.size > pagesMax) throw tooMany(pageCount, pagesMax);
    }
  return [...selected];
}

function tooMany(pageCount: number, pagesMax: number): Refusal {
  return new Refusal(
    'too_many_pages',
    `The document has ${pageCount} pages; a request reads at most ${pagesMax}. Name some of them with pages.`,
  );
}

/** How many letters have which size, in pixels of the page. */
type Sizes = Map<number, number>;

function sizesOf({ words }: PageContent): Sizes {
  const sizes: Sizes = new Map();
  for (const { size, text } of words) {
    const rounded = Math.round(size * 2) / 2;
    sizes.set(rounded, (sizes.get(rounded) ?? 0) + text.length);
  }
  return sizes;
}

/** The size that most letters have. */
function bodySizeOf(all: readonly Sizes[]): number {
  const sums: Sizes = new Map();
  for (const sizes of all) for (const [size, count] of sizes) sums.set(size, (sums.get(size) ?? 0) + count);
  return [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

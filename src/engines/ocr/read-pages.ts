import { Refusal } from '../process/protocol.ts';
import type { PageContent } from './layout/elements.ts';
import { findBlocks } from './layout/find-blocks.ts';
import { type EdgeLine, findEdgeLines, markMargins } from './layout/find-margins.ts';
import type { PageRange } from './ocr-engine.ts';
import type { OpenedDocument } from './opened-document.ts';
import type { OcrPart, SliceRequest } from './protocol.ts';
import { composePage } from './render/compose-page.ts';

/** Pages that are compared with each other, for the usual size of letters and for what repeats at their edges. */
const PAGES_COMPARED = 5;
/** More than a page is compared with, on both sides of it. */
const GLANCES_KEPT = 20;

/** What will be read, then the pages that were asked for, each with the numbers to go on with. */
export async function* readPages(
  opened: OpenedDocument,
  { pages, counters, ...request }: Omit<SliceRequest, 'id' | 'document' | 'sliceMs'>,
  pagesMax: number,
): AsyncGenerator<OcrPart> {
  const { pageCount } = opened;
  const selected = selectPages(pages, pageCount, pagesMax);
  yield { pageCount, pages: selected };
  const glance = createGlance(opened);
  for (const index of selected) {
    const { content, ...page } = await opened.read(index);
    const around = pagesAround(index, 1, pageCount).map(glance);
    const onSameSide = pagesAround(index, 2, pageCount).map(glance);
    const bodySize = bodySizeOf([sizesOf(content), ...around.flatMap((other) => other?.sizes ?? [])]);
    // Most of the pages that are compared, this one included; a single page repeats nothing.
    const pagesMin = Math.max(2, Math.floor(Math.min(PAGES_COMPARED, pageCount) / 2) + 1);
    const isRepeated = ({ forms }: EdgeLine) =>
      [around, onSameSide].some(
        (others) => 1 + others.filter((other) => forms.some((form) => other?.forms.has(form))).length >= pagesMin,
      );
    const lines = findEdgeLines(content, index, pageCount);
    const blocks = markMargins(findBlocks(content, bodySize), content, lines, isRepeated);
    yield await composePage({ index, content, blocks, request, counters, ...page });
    if (index !== selected.at(-1)) yield { counters };
  }
}

/** What a page is compared by; undefined of one without a text layer. */
type Glance = { sizes: Sizes; forms: ReadonlySet<string> } | undefined;

function createGlance(opened: OpenedDocument): (index: number) => Glance {
  const seen = new Map<number, Glance>();
  return (index) => {
    if (!seen.has(index)) {
      const content = opened.glance(index);
      const lines = content && findEdgeLines(content, index, opened.pageCount);
      seen.set(index, content && { sizes: sizesOf(content), forms: new Set(lines?.flatMap(({ forms }) => forms)) });
      if (seen.size > GLANCES_KEPT) seen.delete(seen.keys().next().value as number);
    }
    return seen.get(index);
  };
}

/** The nearest other pages at a distance of so many from each other: of 2, those of the same side of an opened book. */
function pagesAround(index: number, distance: number, pageCount: number): number[] {
  const reach = distance * (PAGES_COMPARED - 1);
  const first = index % distance;
  const last = pageCount - 1 - ((pageCount - 1 - index) % distance);
  const start = Math.max(first, Math.min(index - reach / 2, last - reach));
  const around: number[] = [];
  for (let page = start; page <= Math.min(last, start + reach); page += distance) if (page !== index) around.push(page);
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

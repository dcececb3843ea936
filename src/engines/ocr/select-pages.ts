import { Refusal } from '../process/protocol.ts';
import type { PageRange } from './ocr-engine.ts';

/** The numbers of the pages that are wanted, each once, in the order in which they were named. */
export function selectPages(ranges: readonly PageRange[] | undefined, pageCount: number, pagesMax: number): number[] {
  const wanted: readonly PageRange[] = ranges ?? [[0, pageCount - 1]];
  const beyond = wanted.find(([, last]) => last >= pageCount);
  if (beyond && ranges) {
    const pages = pageCount === 1 ? 'one page' : `${pageCount} pages`;
    throw new Refusal('page_out_of_range', `The document has ${pages}, counted from 0; there is no page ${beyond[1]}.`);
  }
  const selected = new Set<number>();
  for (const [first, last] of wanted)
    for (let page = first; page <= last; page++) {
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

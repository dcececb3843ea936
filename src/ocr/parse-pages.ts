import type { PageRange } from '../models/index.ts';
import { ocrErrors } from './errors.ts';

const RANGE = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/;

/** Numbers from 0, or a text such as `0-2, 5`. Whether the document has these pages is checked by the engine. */
export function parsePages(pages: string | number[]): PageRange[] {
  const parts = typeof pages === 'string' ? pages.split(',').map((part) => part.trim()) : pages.map(String);
  if (parts.length === 0) throw invalid(pages, 'name at least one page, or leave pages out');
  return parts.map((part) => {
    const [, first, last = first] = RANGE.exec(part) ?? [];
    if (first === undefined)
      throw invalid(pages, `'${part}' is neither a page, counted from 0, nor a range such as 0-2`);
    const range: PageRange = [Number(first), Number(last)];
    if (range[0] > range[1]) throw invalid(pages, `the range ${part} ends before it begins`);
    return range;
  });
}

function invalid(input: unknown, msg: string): Error {
  return ocrErrors.invalid_pages(['body', 'pages'], `Value error, ${msg}`, input, { error: {} });
}

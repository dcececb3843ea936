import { ValidationFailed } from '../kit/http/index.ts';
import type { PageRange } from '../models/index.ts';

const RANGE = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/;

/** Numbers from 0, or a text such as `0-2, 5`; what the document has is for its reader to know. */
export function parsePages(pages: string | number[]): PageRange[] {
  const parts = typeof pages === 'string' ? pages.split(',').map((part) => part.trim()) : pages.map(String);
  if (parts.length === 0) throw refused(pages, 'name at least one page, or leave pages out');
  return parts.map((part) => {
    const [, first, last = first] = RANGE.exec(part) ?? [];
    if (first === undefined)
      throw refused(pages, `'${part}' is neither a page, counted from 0, nor a range such as 0-2`);
    const range: PageRange = [Number(first), Number(last)];
    if (range[0] > range[1]) throw refused(pages, `the range ${part} ends before it begins`);
    return range;
  });
}

function refused(input: unknown, msg: string): ValidationFailed {
  const item = { type: 'value_error', loc: ['body', 'pages'], msg: `Value error, ${msg}`, input, ctx: { error: {} } };
  return new ValidationFailed([item]);
}

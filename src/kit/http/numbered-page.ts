import { z } from 'zod';
import { queryInt } from './query-types.ts';

const PAGE_SIZE_MAX = 100;
/** Keeps the offset, page times size, within the integers of both databases. */
const PAGE_MAX = 1_000_000_000;

/** The query fields of lists with numbered pages; a page of no rows only counts. */
export const numberedPageQuery = {
  page_size: queryInt().min(0).max(PAGE_SIZE_MAX).default(50),
  page: queryInt().min(1).max(PAGE_MAX).default(1),
};

export type NumberedPageQuery = { page_size: number; page: number };

export function numberedPageOf<T extends z.ZodType>(id: string, item: T) {
  return z
    .object({
      results: z.array(item).optional(),
      count: z.int(),
      next: z.string().nullable().optional(),
      previous: z.string().nullable().optional(),
    })
    .meta({ id });
}

/** One page, with the paths of its neighbours, which repeat the rest of the query. */
export function numberedPage<T>(path: string, query: NumberedPageQuery, results: T[], count: number) {
  const { page, page_size } = query;
  const last = page_size === 0 ? 0 : Math.ceil(count / page_size);
  const pathOf = (number: number) => `${path}?${textOf({ ...query, page: number })}`;
  return {
    results,
    count,
    next: page < last ? pathOf(page + 1) : null,
    previous: page > 1 && last > 0 ? pathOf(Math.min(page - 1, last)) : null,
  };
}

export const offsetOf = ({ page, page_size }: NumberedPageQuery) => ({
  limit: page_size,
  offset: (page - 1) * page_size,
});

function textOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [value].flat().map((one): [string, string] => [key, String(one)]),
  );
  return new URLSearchParams(pairs).toString();
}

import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';

const PAGE_MAX = 1_000_000;
const PAGE_SIZE_MAX = 1000;

export const Id = z.uuid().toLowerCase();

export const page = {
  page: queryInt().positive().max(PAGE_MAX).default(1),
  page_size: queryInt().positive().max(PAGE_SIZE_MAX).default(25),
};

export const pageOfGroups = { ...page, page_size: queryInt().positive().max(100).default(25) };

export type Page = { page: number; page_size: number };

/** Pages count from 1. */
export function rangeOf({ page, page_size }: Page): { offset: number; limit: number } {
  return { offset: (page - 1) * page_size, limit: page_size };
}

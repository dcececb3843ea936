export const PAGE_SIZE = 1000;
/** How many files or batches are looked through for a cursor. */
const PAGES_MAX = 10;

export type Page<T> = { object: 'list'; data: T[]; first_id: string | null; last_id: string | null; has_more: boolean };

/** Reads page by page, until the first ones are enough. */
export async function collect<T>(read: (page: number) => Promise<T[]>, isEnough: (all: T[]) => boolean): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const found = await read(page);
    all.push(...found);
    if (found.length < PAGE_SIZE || isEnough(all)) break;
  }
  return all;
}

type Asked = { after?: string | undefined; limit?: number | undefined };

/** Whether they hold the page that is asked for, and one more that says that it is not the last. */
export function fillsPage(all: { id: string }[], { after, limit }: Asked, most: number): boolean {
  const at = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
  return (after === undefined || at >= 0) && all.length > at + 1 + (limit ?? most);
}

export function toPage<T extends { id: string }>(all: T[], { after, limit }: Asked, most: number): Page<T> {
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const data = all.slice(from, from + (limit ?? most));
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + data.length < all.length,
  };
}

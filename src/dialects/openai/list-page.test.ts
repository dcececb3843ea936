import { describe, expect, it } from 'vitest';
import { collect, fillsPage, PAGE_SIZE, toPage } from './list-page.ts';

const STORED = 3500;

/** Reads of a list of numbered items, and how many pages were read. */
async function list(query: { after?: string; limit?: number }) {
  let reads = 0;
  const read = async (page: number) => {
    reads++;
    const first = page * PAGE_SIZE;
    return Array.from({ length: Math.min(PAGE_SIZE, STORED - first) }, (_, n) => ({ id: `i${first + n}` }));
  };
  const page = toPage(await collect(read, (all) => fillsPage(all, query, 20)), query, 20);
  return { reads, page };
}

describe('a page of a list', () => {
  it('is read without the rest', async () => {
    const { reads, page } = await list({});
    expect(reads).toBe(1);
    expect(page).toMatchObject({ first_id: 'i0', last_id: 'i19', has_more: true });
  });

  it('goes on across the pages that are read', async () => {
    const { reads, page } = await list({ after: 'i995', limit: 10 });
    expect(reads).toBe(2);
    expect(page).toMatchObject({ first_id: 'i996', last_id: 'i1005', has_more: true });
  });

  it('tells that the last one is the last', async () => {
    const { page } = await list({ after: `i${STORED - 11}`, limit: 10 });
    expect(page).toMatchObject({ last_id: `i${STORED - 1}`, has_more: false });
  });

  it('needs one item more than it shows to say that there are more', async () => {
    const { reads, page } = await list({ limit: PAGE_SIZE });
    expect(reads).toBe(2);
    expect(page.has_more).toBe(true);
  });
});

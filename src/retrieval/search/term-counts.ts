import type { Database, Db } from '../../kit/db/index.ts';
import { countTerms, type Stretch } from '../store/text.ts';

/** Terms of fewer chunks are counted each time: that is quick, and tells what is there now. */
const KEPT_MIN = 100;
const KEPT_MS = 10 * 60 * 1000;
const TERMS_MAX = 20_000;

type Kept = { count: number; isWhole: boolean; countedAt: number };

/** How many chunks have each term, up to a limit. */
export type TermCounts = (
  db: Db,
  kind: Database['kind'],
  terms: string[],
  limit: number,
  of: Stretch,
) => Promise<Map<string, number>>;

/**
 * Remembers frequent terms for some minutes. Counting them reads more than the rest of a search, and what they weigh hardly
 * changes. Terms carry their collection, so one collection learns nothing of another.
 */
export function createTermCounts(now = () => performance.now()): TermCounts {
  const kept = new Map<string, Kept>();

  function recall(term: string, limit: number): number | undefined {
    const known = kept.get(term);
    if (!known || now() - known.countedAt > KEPT_MS) return undefined;
    return known.isWhole || known.count >= limit ? Math.min(known.count, limit) : undefined;
  }

  function keep(term: string, count: number, limit: number): void {
    kept.delete(term);
    if (count < KEPT_MIN) return;
    kept.set(term, { count, isWhole: count < limit, countedAt: now() });
    const [oldest] = kept.size > TERMS_MAX ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
  }

  return async (db, kind, terms, limit, of) => {
    const counts = new Map<string, number>();
    const unknown: string[] = [];
    for (const term of terms) {
      const known = recall(term, limit);
      if (known === undefined) unknown.push(term);
      else counts.set(term, known);
    }
    if (unknown.length === 0) return counts;
    for (const [term, count] of await countTerms(db, kind, unknown, limit, of)) {
      counts.set(term, count);
      keep(term, count, limit);
    }
    return counts;
  };
}

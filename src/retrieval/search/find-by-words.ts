import type { Database, Db } from '../../kit/db/index.ts';
import { firstIdOf } from '../schema/chunk.ts';
import { countRows, rankText, type TextScored, type WeighedTerm } from '../store/text.ts';
import { type Allowed, bitsOf, idsOf, isAllowed } from './allowed-chunks.ts';
import type { CandidateQuery, CollectionQuery } from './candidate-query.ts';
import type { TermCounts } from './term-counts.ts';

/** A filter that lets so few chunks through is given to SQLite's index as their ids. */
const IDS_MAX = 4000;
/** Terms of more chunks than this are left out where rarer ones are there. */
const COMMON_SHARE = 0.08;
const COMMON_MIN = 2000;
/** So many chunks are ranked for one term, and for the rarest together. PostgreSQL reads a page for nearly every one. */
const ROWS_MAX = { sqlite: 20_000, postgres: 2500 };
const ROWS_TOGETHER = { sqlite: 20_000, postgres: 800 };
const FILTERED_FACTOR = 20;

/** The chunks that have the query's words, the rare ones first of all. */
export async function findByWords(
  db: Db,
  kind: Database['kind'],
  { no, span, terms: words }: CollectionQuery,
  { limit, needsAll }: CandidateQuery,
  allowed: Allowed | undefined,
  countTerms: TermCounts,
): Promise<TextScored[]> {
  if (words.length === 0) return [];
  const rowsMax = ROWS_MAX[kind];
  // How common a common word is does not matter: it is left out, or alone.
  const countMax = needsAll ? rowsMax : Math.min(rowsMax, commonOf(span) + 1);
  const counts = await countTerms(db, kind, [...new Set(words.flat())], countMax, { firstId: firstIdOf(no), span });
  if (needsAll && words.some((forms) => forms.every((form) => !counts.get(form)))) return [];
  const chosen = needsAll ? [...counts] : chooseTerms(counts, span, ROWS_TOGETHER[kind]);
  const whole = rarityOfAll(words, counts, span);
  const terms = await weigh(db, kind, chosen, span, whole);
  // The others do not find, but count where they are.
  const others = [...counts].filter((entry) => entry[1] < countMax && !chosen.some(([term]) => term === entry[0]));
  const also = kind === 'postgres' && !needsAll ? await weigh(db, kind, others, span, whole) : [];
  const must = needsAll ? words : undefined;
  if (!allowed) return rankText(db, kind, terms, { limit, rowsMax, must, also });
  if (kind === 'postgres') {
    const only = { bits: bitsOf(allowed), firstId: allowed.firstId };
    return rankText(db, kind, terms, { limit, rowsMax, must, also, only });
  }
  if (allowed.count <= IDS_MAX)
    return rankText(db, kind, terms, { limit, rowsMax, must, only: { ids: idsOf(allowed) } });
  const ranked = await rankText(db, kind, terms, { limit: limit * FILTERED_FACTOR, rowsMax, must });
  return ranked.filter(({ id }) => isAllowed(allowed, id)).slice(0, limit);
}

const commonOf = (span: number) => Math.max(COMMON_MIN, Math.ceil(span * COMMON_SHARE));

/** Rare terms first, as many as the budget of rows has room for. */
function chooseTerms(counts: Map<string, number>, span: number, rowsMax: number): [string, number][] {
  const known = [...counts].filter(([, count]) => count > 0).sort((a, b) => a[1] - b[1]);
  const common = commonOf(span);
  const chosen: [string, number][] = [];
  let rows = 0;
  for (const [term, count] of known) {
    if (chosen.length > 0 && (count > common || rows + count > rowsMax)) break;
    chosen.push([term, count]);
    rows += count;
  }
  return chosen;
}

const rarityOf = (count: number, span: number) => Math.log(1 + (Math.max(span, count) - count + 0.5) / (count + 0.5));

/** Of the whole query. A word that no chunk has is the rarest: a query in another language has hardly any other. */
function rarityOfAll(words: string[][], counts: Map<string, number>, span: number): number {
  const countOf = (forms: string[]) => Math.max(...forms.map((form) => counts.get(form) ?? 0));
  return words.reduce((sum, forms) => sum + rarityOf(countOf(forms), span), 0);
}

/** By their rarity in this collection. FTS5's own weight counts all collections, and is divided out. */
async function weigh(
  db: Db,
  kind: Database['kind'],
  counts: [string, number][],
  span: number,
  whole: number,
): Promise<WeighedTerm[]> {
  const rows = kind === 'sqlite' ? await countRows(db) : 0;
  return counts
    .filter(([, count]) => count > 0)
    .map(([term, count]) => {
      const rarity = rarityOf(count, span);
      const theirs = Math.log((rows - count + 0.5) / (count + 0.5));
      const weight = kind === 'sqlite' ? rarity / (theirs > 0 ? theirs : 1e-6) : rarity;
      return { term, weight, share: rarity / whole };
    });
}

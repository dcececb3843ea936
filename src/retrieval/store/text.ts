import { type RawBuilder, sql } from 'kysely';
import type { Database, Db, Tx } from '../../kit/db/index.ts';

export type Scored = { id: number; score: number };
/** `share`: how much of the query, by the rarity of its words, the chunk has; from 0 to 1. */
export type TextScored = Scored & { share: number };
export type WeighedTerm = { term: string; weight: number; share: number };

export type TextRow = { id: number; body: string; head: string };

export async function insertText(tx: Tx, kind: Database['kind'], { id, body, head }: TextRow): Promise<void> {
  if (kind === 'sqlite')
    await sql`insert into search_text (rowid, body, head) values (${id}, ${body}, ${head})`.execute(tx);
  else
    await sql`insert into search_text (id, words) values (
      ${id}, setweight(${positionsOf(head)}::tsvector, 'A') || ${positionsOf(body)}::tsvector
    )`.execute(tx);
}

/** SQLite overwrites the pages that this transaction frees too; otherwise deleted text stays in the file for long. */
export async function overwriteFreed(tx: Tx, kind: Database['kind'], isOn: boolean): Promise<void> {
  if (kind === 'sqlite') await sql.raw(`pragma secure_delete = ${isOn ? 'on' : 'fast'}`).execute(tx);
}

export async function deleteText(tx: Tx, kind: Database['kind'], firstId: number, count: number): Promise<void> {
  if (kind === 'sqlite')
    await sql`delete from search_text where rowid >= ${firstId} and rowid < ${firstId + count}`.execute(tx);
  else await sql`delete from search_text where id >= ${firstId} and id < ${firstId + count}`.execute(tx);
}

const POSITION_MAX = 16_383;

// Positions matter to the rank only by their number, of which PostgreSQL keeps 256 for each word.
function positionsOf(words: string): string {
  if (words === '') return '';
  const positions = new Map<string, number[]>();
  for (const [i, word] of words.split(' ').entries()) {
    const known = positions.get(word);
    if (known) known.push(Math.min(i + 1, POSITION_MAX));
    else positions.set(word, [Math.min(i + 1, POSITION_MAX)]);
  }
  return [...positions].map(([word, at]) => `'${word}':${at.join(',')}`).join(' ');
}

/** Chunks of a term that PostgreSQL counts one by one; it reads a page for nearly each. */
const COUNTED = 64;

/** Where the chunks of a collection are. */
export type Stretch = { firstId: number; span: number };

/**
 * How many chunks have each term, up to a limit. On PostgreSQL more than 64 are an estimate: chunks come in about the order
 * of their ids, so that the place of the 64th tells how many there are.
 */
export async function countTerms(
  db: Db,
  kind: Database['kind'],
  terms: string[],
  limit: number,
  { firstId, span }: Stretch,
): Promise<Map<string, number>> {
  const most = kind === 'sqlite' ? limit : Math.min(limit, COUNTED);
  const id = sql.ref(kind === 'sqlite' ? 'rowid' : 'id');
  const counts = await sql<{ term: string; n: number; last: number | null }>`${sql.join(
    terms.map(
      (term) =>
        sql`select ${term} as term, count(*) as n, max(id) as last from (select ${id} as id from search_text where ${matches(kind, term)} limit ${most}) as found`,
    ),
    sql` union all `,
  )}`.execute(db);
  const estimate = (n: number, last: number) => Math.round((n * span) / (last - firstId + 1));
  return new Map(
    counts.rows.map(({ term, n, last }) => {
      const count = Number(n);
      return [
        term,
        count < most || most === limit ? count : Math.min(limit, Math.max(count, estimate(count, Number(last)))),
      ];
    }),
  );
}

/** With `must`, one form of each of its words has to be there too. */
function matches(kind: Database['kind'], term: string, must: string[][] = []) {
  const words = [[term], ...must];
  return kind === 'sqlite'
    ? sql`search_text match ${words.map((forms) => `(${forms.map((form) => `"${form}"`).join(' OR ')})`).join(' AND ')}`
    : sql`words @@ ${words.map((forms) => `(${forms.map((form) => `'${form}'`).join(' | ')})`).join(' & ')}::tsquery`;
}

/** A row's score for one term, between 0 and about 2, so that the caller's weights decide between terms. */
const scoreOf = (kind: Database['kind'], { term, weight }: WeighedTerm) =>
  kind === 'sqlite'
    ? sql`${-weight} * bm25(search_text, 1.0, 2.0)`
    : sql`${weight} * ts_rank('{0.5, 0.5, 0.5, 1.0}', words, ${`'${term}'`}::tsquery, 1)`;

const RESCORED = 200;

type Only = { ids: number[] } | { bits: Uint8Array; firstId: number };

type RankOptions = {
  limit: number;
  /** Bounds the rows that are read for one term. */
  rowsMax: number;
  /** Only these chunks: by their ids, or by the bits of their numbers where PostgreSQL looks. */
  only?: Only | undefined;
  /** Terms that find nothing themselves, but count in the best of what is found. On PostgreSQL only. */
  also?: WeighedTerm[];
  /** Only chunks with a form of each of these words. */
  must?: string[][] | undefined;
};

/** The best chunks for these terms together. */
export async function rankText(
  db: Db,
  kind: Database['kind'],
  terms: WeighedTerm[],
  { limit, rowsMax, also = [], only, must }: RankOptions,
): Promise<TextScored[]> {
  if (terms.length === 0) return [];
  const id = kind === 'sqlite' ? sql.ref('rowid') : sql.ref('id');
  const within = only && restrict(id, only);
  const parts = terms.map(
    (term) =>
      sql`select * from (select ${id} as id, ${scoreOf(kind, term)} as score, ${sql.lit(term.share)} as share from search_text where ${matches(kind, term.term, must)} ${within ?? sql``} limit ${rowsMax}) as found`,
  );
  const bits = only && 'bits' in only ? sql`with allowed as (select ${Buffer.from(only.bits)}::bytea as bits)` : sql``;
  const found = sql`${bits} select id, sum(score) as score, sum(share) as share from (${sql.join(parts, sql` union all `)}) as scores
    group by id order by score desc, id limit ${also.length === 0 ? limit : Math.max(limit, RESCORED)}`;
  const result =
    await sql<TextScored>`${also.length === 0 ? sql`select * from (${found}) as found` : addTerms(found, also, limit)}`.execute(
      db,
    );
  return result.rows.map(({ id, score, share }) => ({
    id: Number(id),
    score: Number(score),
    share: Math.min(1, Number(share)),
  }));
}

function addTerms(found: RawBuilder<unknown>, also: WeighedTerm[], limit: number) {
  const scores = also.map((term) => sql` + ${scoreOf('postgres', term)}`);
  const shares = also.map(
    ({ term, share }) => sql` + case when ${matches('postgres', term)} then ${sql.lit(share)} else 0 end`,
  );
  return sql`select id, score${sql.join(scores, sql``)} as score, share${sql.join(shares, sql``)} as share
    from (${found}) as found join search_text using (id) order by 2 desc, id limit ${limit}`;
}

function restrict(id: ReturnType<typeof sql.ref>, only: Only) {
  return 'ids' in only
    ? sql`and ${id} in (select value from json_each(${JSON.stringify(only.ids)}))`
    : sql`and get_bit((select bits from allowed), ${id} - ${sql.lit(only.firstId)}) = 1`;
}

/**
 * FTS5 weighs a term by its rarity among all rows of all collections; the first number of its averages record says how
 * many there are, without counting them.
 */
export async function countRows(db: Db): Promise<number> {
  const { rows } = await sql<{ block: Uint8Array }>`select block from search_text_data where id = 1`.execute(db);
  let count = 0;
  for (const byte of rows[0]?.block ?? []) {
    count = count * 128 + (byte & 127);
    if (byte < 128) break;
  }
  return count;
}

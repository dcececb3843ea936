import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { countListed, type Listed } from './listed-counts.ts';
import { padValues } from './read-groups.ts';
import type { Db, Tables } from './tables.ts';

/** A list that is searched by parts of its texts, as the migration 0077 has indexed them. */
export type Searched = {
  list: keyof Tables;
  scope?: { column: string; id: string };
  /** SQL over the columns of the list, for PostgreSQL. */
  texts: readonly string[];
};

/** What more rows than this may match is read in the order of the list instead. */
const CANDIDATES_MAX = 1000;
/** Beyond so many rows, the total of a search is counted a little further than its page. */
const COUNTED_MAX = 10_000;
const COUNTED_AHEAD = 100;
const LETTERS = 3;
const PARTS_MAX = 40;
const PLACE_LETTERS = 6;

/**
 * The ids of all rows that may contain the text, and of some that do not. Undefined where that cannot be told at a bounded
 * cost: for two letters, and for what very many rows contain.
 */
export async function findCandidates(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  { list, scope, texts }: Searched,
  text: string | undefined,
): Promise<string[] | undefined> {
  const letters = partsOf(text ?? '');
  if (letters.length === 0) return undefined;
  const parts = [...letters, ...partsOf(scope?.id.slice(-PLACE_LETTERS) ?? '')];
  const query =
    kind === 'sqlite'
      ? sql<{ id: string }>`select t.id from listed_words join listed_texts as t on t.number = listed_words.rowid
          where listed_words match ${parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ')}
          and t.list = ${list} limit ${CANDIDATES_MAX + 1}`
      : sql<{ id: string }>`select id from ${sql.table(list)}
          where ${indexed(scope?.column, texts)} @> array[${sql.join(parts)}]::text[] limit ${CANDIDATES_MAX + 1}`;
  const { rows } = await query.execute(db);
  return rows.length > CANDIDATES_MAX ? undefined : rows.map(({ id }) => id);
}

/** Literally the expression of the index. */
function indexed(scope: string | undefined, texts: readonly string[]): RawBuilder<unknown> {
  const place = scope ? [`right(${scope}, ${PLACE_LETTERS})`] : [];
  return sql.raw(`letters_of(${[...place, ...texts.map((text) => `coalesce(${text}, '')`)].join(' || chr(31) || ')})`);
}

/** Each letter once, and the last three: more would find hardly fewer rows, and each part is looked up by itself. */
function partsOf(text: string): string[] {
  const letters = [...text];
  const starts = letters.keys().filter((i) => i % LETTERS === 0 || i === letters.length - LETTERS);
  const parts = [...starts].map((i) => letters.slice(i, i + LETTERS)).filter(({ length }) => length === LETTERS);
  return [...new Set(parts.map((part) => part.join('')))].slice(0, PARTS_MAX);
}

/** All rows of a table, or only these: read by their ids, because a database may read all that their scope has instead. */
export function rowsOf<T extends keyof Tables & string>(
  db: Db,
  table: T,
  among: readonly string[] | undefined,
): SelectQueryBuilder<Tables, T, object> {
  // Untyped inside: the types of a query over any table take the compiler minutes.
  const untyped = db as unknown as { selectFrom(from: unknown): SelectQueryBuilder<Tables, T, object> };
  if (!among) return untyped.selectFrom(table);
  const ids = among.length === 0 ? sql`null` : sql.join(padValues(among));
  const only = sql`(select * from ${sql.table(table)} where id in (${ids}) limit ${among.length})`;
  return untyped.selectFrom(only.as(table));
}

/** Part of a list: its counts tell how long it is, and a page ends there. */
type Around = { of: Listed; pageEnd: number };

/** How many rows a search finds. In a long list, when they go far beyond a page, only that they do. */
export async function countFound(
  db: Db,
  found: Expression<unknown>,
  among: readonly string[] | undefined,
  { of, pageEnd }: Around,
): Promise<number> {
  const isShort = among !== undefined || (await countListed(db, of)).amount <= COUNTED_MAX;
  const most = isShort ? sql`` : sql`limit ${pageEnd + COUNTED_AHEAD}`;
  const query = sql<{
    count: number;
  }>`select count(*) as count from (select 1 from (${found}) as f ${most}) as counted`;
  return Number((await query.execute(db)).rows[0]?.count);
}

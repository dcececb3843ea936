import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

declare module './tables.ts' {
  interface Tables {
    /** Kept by triggers; see the migration 0076. */
    listed_counts: {
      list: string;
      scope: string;
      /** Empty where all of the scope see the rows. */
      owner: string;
      /** Of the whole list, or of a block: a day, an hour or a minute of its order. */
      span: Span;
      block: string;
      part: string;
      amount: number;
      bytes: number;
    };
  }
}

/** Some rows of a list: of a scope, of some owners, and those whose parts are accepted. */
export type Listed = {
  list: string;
  scope: string;
  owners?: readonly string[];
  accepts?: (parts: readonly string[]) => boolean;
};

/** Where a page begins: in the rows from this block on (or until it), after skipping some. */
export type Place = { block: string | undefined; offset: number };

type Order = 'asc' | 'desc';
type Span = 'all' | 'day' | 'hour' | 'minute';

/** So few rows are skipped one by one. */
const SKIPPED_MAX = 1000;
const EVERYBODY: readonly string[] = [''];

/** How many rows the list has, and their bytes where the list counts them. */
export async function countListed(db: Db, of: Listed): Promise<{ amount: number; bytes: number }> {
  const parts = await listParts(db, of);
  return {
    amount: parts.reduce((sum, { amount }) => sum + Number(amount), 0),
    bytes: parts.reduce((sum, { bytes }) => sum + Number(bytes), 0),
  };
}

/** The counts of several scopes. */
export async function countListedEach(db: Db, list: string, scopes: readonly string[]) {
  if (scopes.length === 0) return [];
  return db
    .selectFrom('listed_counts')
    .select(['scope', 'amount', 'bytes'])
    .where('list', '=', list)
    .where('scope', 'in', scopes)
    .where('owner', '=', '')
    .where('span', '=', 'all')
    .execute();
}

/**
 * The start of a page that is far from that of the list; undefined when the list ends before it. What is not counted, and what
 * is near, is skipped row by row.
 */
export async function findPlace(
  db: Db,
  of: Listed | undefined,
  offset: number,
  order: Order,
): Promise<Place | undefined> {
  if (!of || offset <= SKIPPED_MAX) return { block: undefined, offset };
  const parts = of.accepts ? (await listParts(db, of)).map(({ part }) => part) : undefined;
  if (parts?.length === 0) return undefined;
  const sought = { ...of, parts, offset, order };
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const { rows } = await (isPostgres ? call(db, sought) : seek(db, sought));
  return rows.flatMap(({ block, rest }) => (block === null ? [] : [{ block, offset: Number(rest) }]))[0];
}

/** The rows of a list by time in which the page begins. */
export function isFrom(column: string, { block }: Place, order: Order): RawBuilder<boolean> {
  if (block === undefined) return sql<boolean>`1 = 1`;
  return order === 'desc'
    ? sql<boolean>`${sql.ref(column)} < ${endOf(block)}`
    : sql<boolean>`${sql.ref(column)} >= ${block}`;
}

/** Greater than all times that begin with this block. */
export const endOf = (block: string): string => `${block}~`;

async function listParts(db: Db, { list, scope, owners = EVERYBODY, accepts }: Listed) {
  const rows = await db
    .selectFrom('listed_counts')
    .select(['part', 'amount', 'bytes'])
    .where('list', '=', list)
    .where('scope', '=', scope)
    .where('owner', 'in', owners)
    .where('span', '=', 'all')
    .execute();
  return accepts ? rows.filter(({ part }) => accepts(part.split('|'))) : rows;
}

type Sought = Listed & { parts: readonly string[] | undefined; offset: number; order: Order };

type Found = { block: string | null; rest: number };

/** The function of the migration 0084, which does the same. */
function call(db: Db, { list, scope, owners = EVERYBODY, parts, offset, order }: Sought) {
  const texts = (values: readonly string[]) => sql`array[${sql.join(values)}]::text[]`;
  return sql<Found>`select block, rest from place_of_page(${list}, ${scope}, ${texts(owners)},
    ${parts ? texts(parts) : sql`null`}, ${offset}, ${order === 'desc'})`.execute(db);
}

/** Looks through the days of the list, then through the hours of a day, then through the minutes of an hour, in one statement. */
function seek(db: Db, { list, scope, owners = EVERYBODY, parts, offset, order }: Sought) {
  const by = sql.raw(`c.block ${order}`);
  const some = sql`c.list = ${list} and c.scope = ${scope} and c.owner in (${sql.join(owners)})
    ${parts ? sql`and c.part in (${sql.join(parts)})` : sql``}`;
  // `passed` rows come before a block; the rows to skip end within the first block that has more than are left.
  const find = (
    span: Exclude<Span, 'all'>,
    from: RawBuilder<unknown>,
    rest: RawBuilder<unknown>,
    within: RawBuilder<unknown>,
  ) => sql`
    select block, rest - passed as rest from (
      select c.block, sum(c.amount) as amount, sum(sum(c.amount)) over (order by ${by}) - sum(c.amount) as passed, ${rest} as rest
      from ${from} where ${some} and c.span = ${sql.lit(span)} ${within} group by c.block
    ) as ${sql.table(`${span}s`)} where passed <= rest and passed + amount > rest limit 1`;
  const inside = (of: string) =>
    [
      sql`${sql.table(of)} as o cross join listed_counts as c`,
      sql`max(o.rest)`,
      sql`and c.block > o.block and c.block < o.block || '~'`,
    ] as const;
  const skipped = sql`cast(${offset} as bigint)`;
  return sql<Found>`
    with a_day as (${find('day', sql`listed_counts as c`, skipped, sql``)}),
      an_hour as (${find('hour', ...inside('a_day'))}),
      a_minute as (${find('minute', ...inside('an_hour'))})
    select block, rest from a_minute`.execute(db);
}

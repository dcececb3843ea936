import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import { prepareFor } from './prepare.ts';
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
  const find = db.getExecutor().adapter instanceof PostgresAdapter ? askFunction : readBlocks;
  return find(db, of, parts, offset, order);
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

type Block = { block: string; amount: number };

/** On SQLite: at most the days of the list, then the hours of a day, then the minutes of an hour. Lists of values are JSON. */
const listBlocks = (order: Order) =>
  prepareFor(
    (db, list: string, scope: string, owners: string, span: Span, low: string, high: string, parts: string | null) => ({
      compile: () =>
        sql<Block>`select block, sum(amount) as amount from listed_counts where list = ${list} and scope = ${scope}
          and owner in (select value from json_each(${owners})) and span = ${span} and block > ${low} and block < ${high}
          and (${parts} is null or part in (select value from json_each(${parts})))
          group by block order by block ${sql.raw(order)}`.compile(db),
    }),
  );
const listBlocksIn = { asc: listBlocks('asc'), desc: listBlocks('desc') };

async function readBlocks(
  db: Db,
  { list, scope, owners = EVERYBODY }: Listed,
  parts: readonly string[] | undefined,
  offset: number,
  order: Order,
): Promise<Place | undefined> {
  const accepted = parts ? JSON.stringify(parts) : null;
  let place: Place | undefined = { block: undefined, offset };
  for (const span of ['day', 'hour', 'minute'] as const) {
    const { block = '' }: Place = place;
    const read = listBlocksIn[order];
    const found = await read(db, list, scope, JSON.stringify(owners), span, block, endOf(block), accepted);
    place = skip(found, place.offset);
    if (!place) return undefined;
  }
  return place;
}

function skip(blocks: readonly Block[], offset: number): Place | undefined {
  let left = offset;
  for (const { block, amount } of blocks) {
    if (left < amount) return { block, offset: left };
    left -= amount;
  }
  return undefined;
}

type Found = { block: string | null; rest: number };

const callFunction = prepareFor(
  (db, list: string, scope: string, owners: string, parts: string | null, offset: number, isDescending: boolean) => ({
    compile: () =>
      sql<Found>`select block, rest from place_of_page(${list}, ${scope}, ${owners}, ${parts}, ${offset}, ${isDescending})`.compile(
        db,
      ),
  }),
);

/**
 * The same by the function of the migration 0085. On PostgreSQL three statements would cost more than the page; on SQLite they
 * cost less than one that is longer.
 */
async function askFunction(
  db: Db,
  { list, scope, owners = EVERYBODY }: Listed,
  parts: readonly string[] | undefined,
  offset: number,
  order: Order,
): Promise<Place | undefined> {
  const [found] = await callFunction(
    db,
    list,
    scope,
    arrayOf(owners),
    parts ? arrayOf(parts) : null,
    offset,
    order === 'desc',
  );
  return found && found.block !== null ? { block: found.block, offset: Number(found.rest) } : undefined;
}

/** As PostgreSQL writes an array of texts. */
const arrayOf = (values: readonly string[]) => `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`)}}`;

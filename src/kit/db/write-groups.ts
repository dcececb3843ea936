import { CompiledQuery } from 'kysely';
import type { Database } from './database.ts';
import { runQuery } from './run-query.ts';
import type { Db } from './tables.ts';
import { inPowersOfTwo, rowWriter } from './write-rows.ts';

/** A smaller group is written with all others: a statement of its own would cost more than it saves. */
const GROUP_ROWS_MIN = 8;
/** A row is compared with the first of so many groups. */
const GROUPS_MAX = 16;

/** Names by type: PostgreSQL has to be told the types of values that are not inserted directly. */
type Columns = Partial<Record<'text' | 'bigint' | 'integer' | 'boolean' | 'json', readonly string[]>>;
type Column = { name: string; type: string };

type GroupedRows<R> = {
  table: string;
  /** Columns that many rows share, and the others. */
  shared: Columns;
  own: Columns;
  isSame(a: R, b: R): boolean;
  /** Both add the values in the order of the columns. JSON is text. */
  addShared(values: unknown[], row: R): void;
  addOwn(values: unknown[], row: R): void;
  /** Follows the rows, such as `on conflict …`. */
  ending?: string;
};

/** Inserts rows of which many share most of their values: binding is most of the work, so those are bound once. */
export function groupWriter<R>(
  kind: Database['kind'],
  { table, isSame, addShared, addOwn, ending = '', ...columns }: GroupedRows<R>,
): (db: Db, rows: readonly R[]) => Promise<void> {
  const [shared, own] = [inOrder(columns.shared), inOrder(columns.own)];
  const names = [...shared, ...own].map(({ name }) => name);
  const texts = new Map<number, string>();
  const writeOthers = rowWriter(kind, table, names, ending);

  function textFor(count: number): string {
    const known = texts.get(count) ?? groupText(kind, { table, shared, own, names, ending }, count);
    texts.set(count, known);
    return known;
  }

  function toValues(row: R): unknown[] {
    const values: unknown[] = [];
    addShared(values, row);
    addOwn(values, row);
    return values;
  }

  return async (db, rows) => {
    const others: R[] = [];
    for (const group of groupsOf(rows, isSame, others)) {
      const whole = group.length - (group.length % GROUP_ROWS_MIN);
      for (const chunk of inPowersOfTwo(group.slice(0, whole))) {
        const values: unknown[] = [];
        addShared(values, chunk[0] as R);
        for (const row of chunk) addOwn(values, row);
        await runQuery(db, CompiledQuery.raw(textFor(chunk.length), values));
      }
      for (let i = whole; i < group.length; i++) others.push(group[i] as R);
    }
    if (others.length > 0) await writeOthers(db, others.map(toValues));
  };
}

function groupsOf<R>(rows: readonly R[], isSame: (a: R, b: R) => boolean, others: R[]): R[][] {
  const groups: R[][] = [];
  let group: R[] | undefined;
  for (const row of rows) {
    // Rows that follow each other mostly belong together.
    if (!group || !isSame(group[0] as R, row)) {
      group = groups.find(([first]) => isSame(first as R, row));
      if (!group && groups.length < GROUPS_MAX) {
        group = [];
        groups.push(group);
      }
    }
    (group ?? others).push(row);
  }
  return groups;
}

function inOrder(columns: Columns): Column[] {
  return Object.entries(columns).flatMap(([type, names = []]) => names.map((name) => ({ name, type })));
}

type Layout = { table: string; shared: Column[]; own: Column[]; names: string[]; ending: string };

function groupText(kind: Database['kind'], { table, shared, own, names, ending }: Layout, count: number): string {
  let marks = 0;
  const mark = () => (kind === 'postgres' ? `$${++marks}` : '?');
  const typed = ({ type }: Column) => (kind === 'postgres' ? `cast(${mark()} as ${type})` : mark());
  const common = shared.map((column) => `${typed(column)} as ${column.name}`);
  // PostgreSQL takes the types from the first row.
  const rows = [own.map(typed), ...Array.from({ length: count - 1 }, () => own.map(mark))];
  const chosen = [...shared.map(({ name }) => `shared.${name}`), ...own.map((_, i) => `own.column${i + 1}`)];
  // Without a condition SQLite would read `on conflict` as the condition of a join.
  return `insert into ${table} (${names.join(', ')}) select ${chosen.join(', ')}
    from (select ${common.join(', ')}) as shared
    cross join (values ${rows.map((row) => `(${row.join(', ')})`).join(', ')}) as own where true ${ending}`;
}

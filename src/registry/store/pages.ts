import { sql } from 'kysely';
import {
  type Database,
  type Db,
  inOrder,
  padValues,
  readGroups,
  type Sized,
  storedBytes,
  takePage,
} from '../../kit/db/index.ts';
import type { Snapshot, SortField, Viewer } from '../schema.ts';
import { selectSnapshot, toSnapshot } from './snapshots.ts';
import { EVERYONE } from './tables.ts';

/** Where a page begins: after the object with this sort key and id. */
export type Position = { key: string; id: string };

type PageQuery = {
  kind: string;
  viewer: Viewer;
  field: SortField;
  direction: 'asc' | 'desc';
  after: Position | undefined;
  /** Leaves out objects that changed later. */
  changedUntil: string | undefined;
  limit: number;
  /** Only objects that have the alias, each at that version. */
  alias: string | undefined;
  /** Objects with the alias are sorted in memory while they are this many. */
  rareHoldersMax: number;
  withDefinition: boolean;
};

const ENTRIES_PER_STATEMENT = 256;

type Entry = Position & { version: number };

type FoundPage<D> = { groups: AsyncGenerator<Snapshot<D | undefined>[]>; next: Position | undefined };

/** Reads the order first, then the objects; one deleted in between is left out. */
export async function listPage<D>(database: Handle, query: PageQuery): Promise<FoundPage<D>> {
  const entries = await listEntries(database.db, { ...query, limit: query.limit + 1 });
  const sized = await measure(database, entries.slice(0, query.limit), query.withDefinition);
  const shown = takePage(sized);
  const last = shown.at(-1);
  const next = last && entries.length > shown.length ? { key: last.key, id: last.id } : undefined;
  const groups = readGroups(shown, (group) => listSnapshots<D>(database.db, group, query.withDefinition));
  return { groups, next };
}

type Handle = Pick<Database, 'db' | 'kind'>;
type AtVersion = { id: string; version: number };

/** The entries with the size of what a list shows of each. */
export async function measure<E extends AtVersion>(
  { db, kind }: Handle,
  entries: readonly E[],
  withDefinition = true,
): Promise<(E & Sized)[]> {
  const sizes = new Map<string, number>();
  const columns = ['o.title', 'o.description', 'v.notes', ...(withDefinition ? ['v.definition'] : [])];
  for (let at = 0; at < entries.length; at += ENTRIES_PER_STATEMENT) {
    const rows = await atVersions(db, entries.slice(at, at + ENTRIES_PER_STATEMENT))
      .select(['o.id', 'v.version', storedBytes(kind, ...columns).as('bytes')])
      .execute();
    for (const { id, version, bytes } of rows) sizes.set(`${id} ${version}`, bytes);
  }
  return entries.map((entry) => ({ ...entry, bytes: sizes.get(`${entry.id} ${entry.version}`) ?? 0 }));
}

function atVersions(db: Db, entries: readonly AtVersion[]) {
  return db
    .selectFrom('object_versions as v')
    .innerJoin('versioned_objects as o', 'o.id', 'v.object_id')
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('v.object_id', 'v.version'),
        'in',
        padValues(entries).map(({ id, version }) => tuple(id, version)),
      ),
    );
}

/** In the order of the entries. */
export async function listSnapshots<D>(
  db: Db,
  entries: readonly AtVersion[],
  withDefinition = true,
): Promise<Snapshot<D>[]> {
  if (entries.length === 0) return [];
  const rows = await atVersions(db, entries).select(selectSnapshot(withDefinition)).execute();
  const keys = entries.map(({ id, version }) => `${id} ${version}`);
  return inOrder(keys, rows, ({ id, version }) => `${id} ${version}`).map((row) => toSnapshot<D>(row));
}

async function listEntries(db: Db, query: PageQuery): Promise<Entry[]> {
  const { alias } = query;
  if (alias === undefined) return walk(db, query);
  if (await isCommon(db, query, alias)) return walk(db, query);
  return sortHolders(db, query, await holdersOf(db, query, alias).select(['object_id', 'version']).execute());
}

/** Walks the sort index once for shared and once for the viewer's own objects, and merges both. */
async function walk(db: Db, query: PageQuery): Promise<Entry[]> {
  const { kind, viewer, field, direction, after, changedUntil, limit, alias } = query;
  const part = (audience: string) => {
    const objects = db
      .selectFrom('versioned_objects as o')
      .where('o.workspace_id', '=', viewer.workspace_id)
      .where('o.kind', '=', kind)
      .where('o.audience', '=', audience)
      .$if(after !== undefined, (some) =>
        some.where(sql<boolean>`(${sql.ref(`o.${field}`)}, o.id) ${beyond(direction)} (${after?.key}, ${after?.id})`),
      )
      .$if(changedUntil !== undefined, (some) => some.where('o.updated_at', '<=', changedUntil ?? ''))
      .orderBy(`o.${field}`, direction)
      .orderBy('o.id', direction)
      .limit(limit);
    return alias === undefined
      ? objects.select(['o.id', `o.${field} as key`, 'o.latest_version as version'])
      : objects
          .innerJoin('object_aliases as a', (join) => join.onRef('a.object_id', '=', 'o.id').on('a.alias', '=', alias))
          .select(['o.id', `o.${field} as key`, 'a.version']);
  };
  const parts = await Promise.all([part(EVERYONE).execute(), part(viewer.user_id).execute()]);
  return merge(parts.flat(), query);
}

function holdersOf(db: Db, { kind, viewer }: PageQuery, alias: string) {
  return db
    .selectFrom('object_aliases')
    .where('workspace_id', '=', viewer.workspace_id)
    .where('kind', '=', kind)
    .where('audience', 'in', [EVERYONE, viewer.user_id])
    .where('alias', '=', alias);
}

async function isCommon(db: Db, query: PageQuery, alias: string): Promise<boolean> {
  const some = holdersOf(db, query, alias)
    .select('object_id')
    .limit(query.rareHoldersMax + 1);
  const { count } = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count > query.rareHoldersMax;
}

async function sortHolders(
  db: Db,
  query: PageQuery,
  holders: { object_id: string; version: number }[],
): Promise<Entry[]> {
  const { field, direction, after, changedUntil } = query;
  if (holders.length === 0) return [];
  const versions = new Map(holders.map(({ object_id, version }) => [object_id, version]));
  const rows = await db
    .selectFrom('versioned_objects as o')
    .select(['o.id', `o.${field} as key`, 'o.updated_at'])
    .where('o.id', 'in', padValues([...versions.keys()]))
    .execute();
  const isBeyond = (entry: Position) => after === undefined || compare(entry, after, direction) > 0;
  const entries = rows
    .filter(({ updated_at }) => changedUntil === undefined || updated_at <= changedUntil)
    .flatMap(({ id, key }) => ({ id, key, version: versions.get(id) ?? 0 }))
    .filter(isBeyond);
  return merge(entries, query);
}

function merge(entries: Entry[], { direction, limit }: PageQuery): Entry[] {
  return entries.sort((a, b) => compare(a, b, direction)).slice(0, limit);
}

function compare(a: Position, b: Position, direction: 'asc' | 'desc'): number {
  const order = compareText(a.key, b.key) || compareText(a.id, b.id);
  return direction === 'asc' ? order : -order;
}

/** By code point, as both databases sort. */
function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function beyond(direction: 'asc' | 'desc') {
  return sql.raw(direction === 'asc' ? '>' : '<');
}

import { sql } from 'kysely';
import type { Db } from '../db/index.ts';
import { selectSnapshot, toSnapshot } from './read-store.ts';
import type { Snapshot, Viewer } from './snapshot.ts';
import { EVERYONE } from './tables.ts';

export type SortField = 'created_at' | 'updated_at' | 'name' | 'title';

/** Where a page begins: after the object with this sort key and id. */
export type Position = { key: string; id: string };

export type PageQuery = {
  kind: string;
  viewer: Viewer;
  field: SortField;
  direction: 'asc' | 'desc';
  after: Position | undefined;
  /** Leaves out what was changed later than this. */
  changedUntil: string | undefined;
  limit: number;
  /** Only objects that have the alias, each at that version. */
  alias: string | undefined;
  withDefinition: boolean;
};

// Up to so many holders of an alias are sorted here; more than that are so common that a walk in the wanted order
// meets enough of them soon. Either way a page costs no more the more objects there are.
const RARE_HOLDERS_MAX = 1000;

type Place = { id: string; key: string; version: number };

export type FoundPage<D> = { snapshots: Snapshot<D | undefined>[]; next: Position | undefined };

/** Places first, then what stands there: an object that is deleted in between leaves no hole in the order. */
export async function listPage<D>(db: Db, query: PageQuery): Promise<FoundPage<D>> {
  const places = await listPlaces(db, { ...query, limit: query.limit + 1 });
  const shown = places.slice(0, query.limit);
  const last = shown.at(-1);
  const next = last && places.length > shown.length ? { key: last.key, id: last.id } : undefined;
  return { snapshots: await listSnapshots<D>(db, shown, query.withDefinition), next };
}

async function listSnapshots<D>(db: Db, places: Place[], withDefinition: boolean): Promise<Snapshot<D | undefined>[]> {
  if (places.length === 0) return [];
  const wanted = padded(places);
  const rows = await db
    .selectFrom('object_versions as v')
    .innerJoin('versioned_objects as o', 'o.id', 'v.object_id')
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('v.object_id', 'v.version'),
        'in',
        wanted.map(({ id, version }) => tuple(id, version)),
      ),
    )
    .select(selectSnapshot(withDefinition))
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return places.flatMap(({ id }) => {
    const row = byId.get(id);
    return row ? [toSnapshot<D | undefined>(row)] : [];
  });
}

/** The objects of a page in their order, without anything that a list need not touch to find them. */
async function listPlaces(db: Db, query: PageQuery): Promise<Place[]> {
  const { alias } = query;
  if (alias === undefined) return walk(db, query);
  const holders = await listHolders(db, query, alias);
  return holders.length > RARE_HOLDERS_MAX ? walk(db, query) : sortHolders(db, query, holders);
}

/** Walks the index of the order once for what everyone sees and once for what is the viewer's own, and merges. */
async function walk(db: Db, query: PageQuery): Promise<Place[]> {
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

async function listHolders(db: Db, { kind, viewer }: PageQuery, alias: string) {
  return db
    .selectFrom('object_aliases')
    .select(['object_id', 'version'])
    .where('workspace_id', '=', viewer.workspace_id)
    .where('kind', '=', kind)
    .where('audience', 'in', [EVERYONE, viewer.user_id])
    .where('alias', '=', alias)
    .limit(RARE_HOLDERS_MAX + 1)
    .execute();
}

async function sortHolders(
  db: Db,
  query: PageQuery,
  holders: { object_id: string; version: number }[],
): Promise<Place[]> {
  const { field, direction, after, changedUntil } = query;
  if (holders.length === 0) return [];
  const versions = new Map(holders.map(({ object_id, version }) => [object_id, version]));
  const rows = await db
    .selectFrom('versioned_objects as o')
    .select(['o.id', `o.${field} as key`, 'o.updated_at'])
    .where('o.id', 'in', padded([...versions.keys()]))
    .execute();
  const isBeyond = (place: Position) => after === undefined || compare(place, after, direction) > 0;
  const places = rows
    .filter(({ updated_at }) => changedUntil === undefined || updated_at <= changedUntil)
    .flatMap(({ id, key }) => ({ id, key, version: versions.get(id) ?? 0 }))
    .filter(isBeyond);
  return merge(places, query);
}

function merge(places: Place[], { direction, limit }: PageQuery): Place[] {
  return places.sort((a, b) => compare(a, b, direction)).slice(0, limit);
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

// Lists of every length would each be a statement of its own in the statement cache.
function padded<T>(items: T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(items.length));
  return items.concat(Array<T>(length - items.length).fill(items.at(-1) as T));
}

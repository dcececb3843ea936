import { type Expression, sql } from 'kysely';
import { type Db, prepare } from '../db/index.ts';
import { looksLikeId, type Ref, visibleObjects } from './object-store.ts';
import type { Snapshot, Viewer } from './snapshot.ts';
import { EVERYONE, type ObjectRow } from './tables.ts';

/** Which version of an object is meant. Neither is the newest. */
export type Selector = { version?: number | undefined; alias?: string | undefined };

/** Just enough to name a state: what `etagOf` needs. `version` is null when the object has no such alias. */
export type Pointer = { id: string; revision: number; version: number | null };

const OBJECT_COLUMNS = [
  'o.id',
  'o.owner_id',
  'o.audience',
  'o.name',
  'o.title',
  'o.description',
  'o.latest_version',
  'o.revision',
  'o.created_at',
  'o.updated_at',
] as const;

const VERSION_COLUMNS = [
  'v.version',
  'v.digest',
  'v.notes',
  'v.author_id',
  'v.created_at as version_created_at',
] as const;

type SnapshotRow = Pick<ObjectRow, 'id' | 'owner_id' | 'audience' | 'name' | 'title' | 'description'> &
  Pick<ObjectRow, 'latest_version' | 'revision' | 'created_at' | 'updated_at'> & {
    version: number;
    digest: string;
    notes: string;
    author_id: string;
    version_created_at: string;
    definition?: unknown;
    aliases: string | null;
  };

/** The columns of a snapshot from an object `o` and its version `v`; without the definition a list stays light. */
export function selectSnapshot(withDefinition: boolean) {
  return [
    ...OBJECT_COLUMNS,
    ...VERSION_COLUMNS,
    ...(withDefinition ? (['v.definition'] as const) : []),
    // An alias holds no comma. Both databases know string_agg and stay with the rows of this one version.
    sql<
      string | null
    >`(select string_agg(a.alias, ',' order by a.alias) from object_aliases a where a.object_id = o.id and a.version = v.version)`.as(
      'aliases',
    ),
  ] as const;
}

export function toSnapshot<D>({ audience, aliases, definition, ...row }: SnapshotRow): Snapshot<D> {
  return {
    ...row,
    definition: definition as D,
    sharing: audience === EVERYONE ? 'workspace' : 'private',
    aliases: aliases === null ? [] : aliases.split(','),
  };
}

/** By id where it looks like one, else by name; a name may look like an id too, so the second is tried then. */
export async function byIdOrName<T>(text: string, find: (ref: Ref) => Promise<T | undefined>): Promise<T | undefined> {
  // No name holds a NUL, and PostgreSQL refuses text with one.
  if (text.includes('\0')) return undefined;
  const found = looksLikeId(text) ? await find({ id: text.toLowerCase() }) : undefined;
  return found ?? find({ name: text });
}

/** The whole object at one version, read in one statement and so in one state. */
export async function findSnapshot<D>(
  db: Db,
  kind: string,
  viewer: Viewer,
  id: string,
  { version, alias }: Selector,
): Promise<Snapshot<D> | undefined> {
  const row = await visibleObjects(db, kind, viewer, { id })
    .innerJoin('object_versions as v', (join) =>
      join.onRef('v.object_id', '=', 'o.id').on('v.version', '=', ({ ref: column, selectFrom }): Expression<number> => {
        if (version !== undefined) return sql`${version}`;
        if (alias === undefined) return column('o.latest_version');
        return selectFrom('object_aliases as b')
          .select('b.version')
          .whereRef('b.object_id', '=', 'o.id')
          .where('b.alias', '=', alias) as unknown as Expression<number>;
      }),
    )
    .select(selectSnapshot(true))
    .executeTakeFirst();
  return row && toSnapshot<D>(row as SnapshotRow);
}

export type FindPointer = (viewer: Viewer, ref: Ref, alias: string | undefined) => Promise<Pointer | undefined>;

/** The hot path: where a name or an alias points right now, by queries that are built once. */
export function createFindPointer(db: Db, kind: string): FindPointer {
  const newest = (how: 'id' | 'name') =>
    prepare((workspace_id: string, user_id: string, what: string) =>
      visibleObjects(db, kind, { workspace_id, user_id }, refOf(how, what)).select([
        'o.id',
        'o.revision',
        'o.latest_version as version',
      ]),
    );
  const aliased = (how: 'id' | 'name') =>
    prepare((workspace_id: string, user_id: string, what: string, alias: string) =>
      visibleObjects(db, kind, { workspace_id, user_id }, refOf(how, what))
        .leftJoin('object_aliases as a', (join) => join.onRef('a.object_id', '=', 'o.id').on('a.alias', '=', alias))
        .select(['o.id', 'o.revision', 'a.version']),
    );
  const queries = {
    newest: { id: newest('id'), name: newest('name') },
    aliased: { id: aliased('id'), name: aliased('name') },
  };
  return async ({ workspace_id, user_id }, ref, alias) => {
    const [how, what] = 'id' in ref ? (['id', ref.id] as const) : (['name', ref.name] as const);
    const rows: Pointer[] =
      alias === undefined
        ? await queries.newest[how](db, workspace_id, user_id, what)
        : await queries.aliased[how](db, workspace_id, user_id, what, alias);
    return rows[0];
  };
}

function refOf(how: 'id' | 'name', what: string): Ref {
  return how === 'id' ? { id: what } : { name: what };
}

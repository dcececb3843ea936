import { type Expression, type Selectable, sql } from 'kysely';
import { type Db, prepare } from '../../kit/db/index.ts';
import type { Selector, Snapshot, Viewer } from '../schema.ts';
import { type Ref, visibleObjects } from './objects.ts';
import { EVERYONE, type ObjectRow, type VersionRow } from './tables.ts';

const OBJECT_COLUMNS = [
  'o.id',
  'o.owner_id',
  'o.audience',
  'o.name',
  'o.title',
  'o.description',
  'o.latest_version',
  'o.workspace_relation',
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

type SnapshotRow = Omit<ObjectRow, 'kind' | 'workspace_id'> &
  Pick<Selectable<VersionRow>, 'version' | 'digest' | 'notes' | 'author_id'> & {
    version_created_at: string;
    definition?: unknown;
    aliases: string | null;
  };

/** The columns of a snapshot from an object `o` and its version `v`. */
export function selectSnapshot(withDefinition: boolean) {
  return [
    ...OBJECT_COLUMNS,
    ...VERSION_COLUMNS,
    ...(withDefinition ? (['v.definition'] as const) : []),
    // An alias holds no comma.
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

/** An object that the viewer may see; the snapshot is undefined if it lacks the requested version. */
type Found<D> = { id: string; snapshot: Snapshot<D> | undefined };

export type FindSnapshot = <D>(db: Db, viewer: Viewer, ref: Ref, selector: Selector) => Promise<Found<D> | undefined>;

// The hot path: one statement, built once, reads name, alias and version in one consistent state.
// A left join, so the viewer's own object without the version still hides a shared one that has it.
export function createFindSnapshot(built: Db, kind: string): FindSnapshot {
  const select = (viewer: Viewer, ref: Ref, version: (latest: Expression<number>) => Expression<number>) =>
    visibleObjects(built, kind, viewer, ref)
      .leftJoin('object_versions as v', (join) =>
        join
          .onRef('v.object_id', '=', 'o.id')
          .on('v.version', '=', ({ ref: column }) => version(column('o.latest_version'))),
      )
      .select(selectSnapshot(true));
  const queriesBy = (refOf: (what: string) => Ref) => ({
    newest: prepare((workspace_id: string, user_id: string, what: string) =>
      select({ workspace_id, user_id }, refOf(what), (latest) => latest),
    ),
    numbered: prepare((workspace_id: string, user_id: string, what: string, version: number) =>
      select({ workspace_id, user_id }, refOf(what), () => sql<number>`${version}`),
    ),
    aliased: prepare((workspace_id: string, user_id: string, what: string, alias: string) =>
      select(
        { workspace_id, user_id },
        refOf(what),
        () => sql<number>`(select b.version from object_aliases b where b.object_id = o.id and b.alias = ${alias})`,
      ),
    ),
  });
  const [byId, byName] = [queriesBy((id) => ({ id })), queriesBy((name) => ({ name }))];
  return async <D>(db: Db, { workspace_id, user_id }: Viewer, ref: Ref, { version, alias }: Selector) => {
    const [queries, what] = 'id' in ref ? [byId, ref.id] : [byName, ref.name];
    const key = [db, workspace_id, user_id, what] as const;
    const find = () => {
      if (version !== undefined) return queries.numbered(...key, version);
      return alias === undefined ? queries.newest(...key) : queries.aliased(...key, alias);
    };
    const [row] = await find();
    if (!row) return undefined;
    return { id: row.id, snapshot: row.version === null ? undefined : toSnapshot<D>(row as SnapshotRow) };
  };
}

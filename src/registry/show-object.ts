import type { Snapshot, VersionSnapshot } from './schema.ts';
import type { AliasMoveRow } from './store/tables.ts';

/** An object as responses show it. A list that leaves out definitions passes none. */
export function showObject<D>(snapshot: Snapshot<unknown>, definition: D | undefined) {
  const { id, name, version, notes, aliases, sharing } = snapshot;
  return {
    id,
    name,
    ...(definition ? { definition } : {}),
    version,
    ...(notes ? { notes } : {}),
    aliases,
    sharingScope: sharing,
    ...(snapshot.workspace_relation === null ? {} : { workspaceRelation: snapshot.workspace_relation }),
    createdAt: snapshot.created_at,
    updatedAt: snapshot.updated_at,
    latestVersion: snapshot.latest_version,
  };
}

export function showVersion<D>({ version, notes, aliases, created_at }: VersionSnapshot<unknown>, definition: D) {
  return { version, definition, ...(notes ? { notes } : {}), aliases, createdAt: created_at };
}

export function showAliasMoves(moves: readonly AliasMoveRow[]) {
  const data = moves.map(({ alias, from_version, to_version, moved_at, author_id }) => ({
    alias,
    fromVersion: from_version,
    toVersion: to_version,
    movedAt: moved_at,
    movedBy: author_id,
  }));
  return { data };
}

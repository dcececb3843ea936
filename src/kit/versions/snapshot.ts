/** Who asks; a room's scope is one. */
export type Viewer = { workspace_id: string; user_id: string };

export type Sharing = 'private' | 'workspace';

/** An object as it is at one of its versions. */
export type Snapshot<D> = {
  id: string;
  owner_id: string;
  name: string;
  title: string;
  description: string;
  sharing: Sharing;
  latest_version: number;
  revision: number;
  created_at: string;
  updated_at: string;
  version: number;
  definition: D;
  digest: string;
  notes: string;
  aliases: string[];
  version_created_at: string;
  author_id: string;
};

/** One version for itself, as a list of versions shows it. */
export type VersionSnapshot<D> = {
  version: number;
  definition: D;
  notes: string;
  aliases: string[];
  created_at: string;
  author_id: string;
};

/** The alias that nobody sets and that always reads the newest version. */
export const LATEST = 'latest';

/** Names one state of one object at one version; two different answers never have the same tag. */
export function etagOf({ id, revision, version }: { id: string; revision: number; version: number }): string {
  return `"${id}.${revision}.${version}"`;
}

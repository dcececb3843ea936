import type { ColumnType } from 'kysely';

/** The audience of an object that its whole workspace sees; that of a private one is its owner's id. */
export const EVERYONE = '';

export type ObjectRow = {
  id: string;
  kind: string;
  workspace_id: string;
  audience: string;
  owner_id: string;
  name: string;
  /** Title and description are empty if not set, so both sort and compare without nulls. */
  title: string;
  description: string;
  latest_version: number;
  /** 'reader' if members of the workspace may read it and not change it. */
  workspace_relation: 'reader' | null;
  /** Grows with every change of the object, its versions' notes or its aliases. */
  revision: number;
  created_at: string;
  updated_at: string;
};

export type VersionRow = {
  object_id: string;
  version: number;
  digest: string;
  /** Written as JSON text: the drivers do not encode a bare string. */
  definition: ColumnType<unknown, string, never>;
  notes: string;
  author_id: string;
  created_at: string;
};

type AliasRow = {
  object_id: string;
  alias: string;
  version: number;
  kind: string;
  workspace_id: string;
  audience: string;
};

/** `from_version` is null if the alias was new, `to_version` if it was removed. */
export type AliasMoveRow = {
  object_id: string;
  revision: number;
  alias: string;
  from_version: number | null;
  to_version: number | null;
  author_id: string;
  moved_at: string;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    versioned_objects: ObjectRow;
    object_versions: VersionRow;
    object_aliases: AliasRow;
    object_alias_moves: AliasMoveRow;
  }
}

import type { ColumnType } from 'kysely';

/** The audience of an object that its whole workspace sees; a private one has its owner as audience. */
export const EVERYONE = '';

export type ObjectRow = {
  id: string;
  kind: string;
  workspace_id: string;
  audience: string;
  owner_id: string;
  name: string;
  /** Empty when there is none, and so is the description: both can be sorted and compared without a null. */
  title: string;
  description: string;
  latest_version: number;
  /** Grows with every change of the object, its versions' notes or its aliases; one revision never shows two states. */
  revision: number;
  created_at: string;
  updated_at: string;
};

type VersionRow = {
  object_id: string;
  version: number;
  digest: string;
  /** Written as JSON text, because the drivers would pass a bare string on as it is. */
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

/** From and to are null where the alias was set for the first time, or taken away. */
export type AliasMoveRow = {
  object_id: string;
  revision: number;
  alias: string;
  from_version: number | null;
  to_version: number | null;
  author_id: string;
  moved_at: string;
};

declare module '../db/tables.ts' {
  interface Tables {
    versioned_objects: ObjectRow;
    object_versions: VersionRow;
    object_aliases: AliasRow;
    object_alias_moves: AliasMoveRow;
  }
}

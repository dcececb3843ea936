import type { Migration } from '../src/kit/db/index.ts';

export const versions: Migration = {
  name: '0004-versions',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint }) => [
    `create table secrets (name ${text} primary key, value ${text} not null, created_at ${text} not null)`,

    // audience is the owner of a private object and empty for a shared one: one unique index then enforces names per
    // audience, and each list order is two short scans of one index.
    `create table versioned_objects (
      id ${text} primary key,
      kind ${text} not null,
      workspace_id ${text} not null,
      audience ${text} not null,
      owner_id ${text} not null,
      name ${text} not null,
      title ${text} not null,
      description ${text} not null,
      latest_version integer not null,
      revision ${bigint} not null,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create unique index versioned_objects_by_name on versioned_objects (workspace_id, kind, audience, name)',
    'create index versioned_objects_by_creation on versioned_objects (workspace_id, kind, audience, created_at, id)',
    'create index versioned_objects_by_change on versioned_objects (workspace_id, kind, audience, updated_at, id)',
    'create index versioned_objects_by_title on versioned_objects (workspace_id, kind, audience, title, id)',

    `create table object_versions (
      object_id ${text} not null references versioned_objects (id) on delete cascade,
      version integer not null,
      digest ${text} not null,
      definition ${json} not null,
      notes ${text} not null,
      author_id ${text} not null,
      created_at ${text} not null,
      primary key (object_id, version)
    )`,
    'create unique index object_versions_by_digest on object_versions (object_id, digest)',

    `create table object_aliases (
      object_id ${text} not null references versioned_objects (id) on delete cascade,
      alias ${text} not null,
      version integer not null,
      kind ${text} not null,
      workspace_id ${text} not null,
      audience ${text} not null,
      primary key (object_id, alias)
    )`,
    'create index object_aliases_by_version on object_aliases (object_id, version, alias)',
    'create index object_aliases_by_alias on object_aliases (workspace_id, kind, audience, alias, object_id)',

    `create table object_alias_moves (
      object_id ${text} not null references versioned_objects (id) on delete cascade,
      revision ${bigint} not null,
      alias ${text} not null,
      from_version integer,
      to_version integer,
      author_id ${text} not null,
      moved_at ${text} not null,
      primary key (object_id, revision, alias)
    )`,

    `create table prompt_models (
      object_id ${text} primary key references versioned_objects (id) on delete cascade,
      model ${text} not null
    )`,
  ],
};

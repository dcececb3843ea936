import type { Migration } from '../src/kit/db/index.ts';

/** Folders, git repositories and sites that libraries are kept in step with. */
export const librarySources: Migration = {
  name: '0045-library-sources',
  oldestProgram: '0.1.0',
  up: async ({ text, json, bigint }) => [
    `create table library_sources (
      id ${text} primary key,
      library_id ${text} not null,
      workspace_id ${text} not null,
      place ${json} not null,
      interval_seconds ${bigint},
      caller ${json} not null,
      status ${text} not null,
      revision ${text},
      result ${json},
      error_code ${text},
      error_message ${text},
      last_run_at ${text},
      next_run_ms ${bigint},
      created_by_id ${text} not null,
      created_at ${text} not null
    )`,
    'create index library_sources_by_library on library_sources (library_id, created_at)',
    'create index library_sources_by_next_run on library_sources (next_run_ms)',
    `create table library_source_files (
      source_id ${text} not null,
      path ${text} not null,
      sha256 ${text} not null,
      document_id ${text} not null,
      primary key (source_id, path)
    )`,
  ],
};

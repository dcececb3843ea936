import type { Migration } from '../src/kit/db/index.ts';

export const files: Migration = {
  name: '0006-files',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }) => [
    `create table files (
      id ${text} primary key,
      workspace_id ${text} not null references workspaces (id),
      user_id ${text} not null,
      filename ${text} not null,
      filename_folded ${text} not null,
      bytes ${bigint} not null,
      sha256 ${text} not null,
      mimetype ${text},
      purpose ${text} not null,
      sample_type ${text} not null,
      source ${text} not null,
      num_lines ${bigint},
      visibility ${text} not null,
      url_secret ${text} not null,
      created_at ${text} not null,
      expires_at ${text}
    )`,
    'create index files_by_workspace on files (workspace_id, created_at, id)',
    'create index files_by_content on files (sha256)',
    'create index files_by_expiry on files (expires_at) where expires_at is not null',
  ],
};

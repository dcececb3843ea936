import type { Migration } from '../src/kit/db/index.ts';

export const customVoices: Migration = {
  name: '0013-custom-voices',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint }) => [
    `create table custom_voices (
      id ${text} primary key,
      workspace_id ${text} not null references workspaces (id),
      user_id ${text} not null,
      name ${text} not null,
      slug ${text} not null,
      languages ${json} not null,
      gender ${text},
      age ${bigint},
      tags ${json},
      color ${text},
      description ${text},
      retention_notice ${bigint} not null,
      sample_sha256 ${text} not null,
      sample_bytes ${bigint} not null,
      sample_type ${text} not null,
      sample_filename ${text},
      created_at ${text} not null
    )`,
    'create unique index custom_voices_by_slug on custom_voices (workspace_id, slug)',
    'create index custom_voices_by_workspace on custom_voices (workspace_id, created_at, id)',
    'create index custom_voices_by_content on custom_voices (sample_sha256)',
  ],
};

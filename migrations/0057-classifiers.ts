import type { Migration } from '../src/kit/db/index.ts';

/** Classifiers that were trained over an embedding model. Without a workspace every workspace may use them. */
export const classifiers: Migration = {
  name: '0057-classifiers',
  oldestProgram: '0.1.0',
  up: ({ text, boolean, bigint, json }) => [
    `create table classifiers (
      id ${text} primary key,
      workspace_id ${text} references workspaces (id),
      root ${text} not null,
      name ${text},
      description ${text},
      job ${text} not null,
      definition ${json} not null,
      figures ${json} not null,
      archived ${boolean} not null,
      created ${bigint} not null
    )`,
    'create index classifiers_by_workspace on classifiers (workspace_id, created)',
  ],
};

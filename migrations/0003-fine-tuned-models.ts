import type { Migration } from '../src/kit/db/index.ts';

export const fineTunedModels: Migration = {
  name: '0003-fine-tuned-models',
  oldestProgram: '0.1.0',
  up: ({ text, boolean, bigint }) => [
    `create table fine_tuned_models (
      id ${text} primary key,
      workspace_id ${text} not null references workspaces (id),
      root ${text} not null,
      file ${text},
      adapter ${text},
      name ${text},
      description ${text},
      job ${text} not null,
      archived ${boolean} not null,
      created ${bigint} not null
    )`,
    'create index fine_tuned_models_by_workspace on fine_tuned_models (workspace_id, created)',
  ],
};

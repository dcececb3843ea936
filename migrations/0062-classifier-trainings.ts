import type { Migration } from '../src/kit/db/index.ts';

/** Trainings of classifiers that were asked for over the API. */
export const classifierTrainings: Migration = {
  name: '0062-classifier-trainings',
  oldestProgram: '0.1.0',
  up: ({ text, number, bigint, json }) => [
    `create table classifier_trainings (
      id ${text} primary key,
      organization_id ${text} not null,
      workspace_id ${text} not null references workspaces (id),
      creator_id ${text} not null,
      name ${text} not null,
      file_id ${text} not null,
      model ${text},
      held_out ${number} not null,
      seed ${bigint} not null,
      status ${text} not null,
      message ${text},
      task_id ${text},
      classifier_id ${text},
      figures ${json},
      created_at ${text} not null,
      ended_at ${text}
    )`,
    'create index classifier_trainings_by_workspace on classifier_trainings (workspace_id, created_at, id)',
  ],
};

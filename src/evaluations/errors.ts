import { defineErrors, missing } from '../kit/http/index.ts';

export const evaluationErrors = defineErrors({
  project_not_found: missing('project'),
  evaluation_not_found: missing('evaluation'),
  evaluation_run_not_found: missing('evaluation run'),
  evaluation_record_not_found: missing('record of this run'),
  optimization_not_found: missing('optimization'),
  pipeline_not_found: missing('pipeline'),
  pipeline_config_not_found: missing('pipeline configuration'),
  slug_taken: {
    status: 409,
    when: 'Another object of the workspace has this slug.',
    fix: 'Choose another slug, or leave it out: it is then made from the name.',
    message: (slug: string) => `The slug '${slug}' is taken. Choose another one, or leave it out.`,
  },
  evaluation_in_use: {
    status: 409,
    when: 'A project that has evaluations, or an evaluation that has runs, is deleted.',
    fix: 'Delete what it contains first.',
    message: (what: string) => `It still has ${what}. Delete them first.`,
  },
  run_not_ended: {
    status: 409,
    when: 'A run is deleted or compared while it runs, or one that runs is resumed.',
    fix: 'Wait until it has ended, or stop it.',
    message: 'The run has not ended. Wait for it, or stop it first.',
  },
  run_has_ended: {
    status: 409,
    when: 'A run that has ended is stopped, or one that is complete is resumed.',
    fix: 'Start a new run; a run that has failed records can be resumed with `retry_failed`.',
    message: 'The run has ended. Start a new one, or resume it with `retry_failed` if records have failed.',
  },
  evaluation_plan_invalid: {
    status: 422,
    when: 'A run cannot be made of this dataset, system and these evaluators.',
    fix: 'Follow the message: it names what does not fit.',
  },
  pipeline_invalid: {
    status: 422,
    when: 'A pipeline has a selector, definition or kind that cannot be used.',
    fix: 'Follow the message. Filters are search expressions over spans (docs/observability.md).',
  },
});

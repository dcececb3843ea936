import { defineErrors, missing } from '../kit/http/index.ts';

export const datasetErrors = defineErrors({
  dataset_not_found: missing('dataset'),
  dataset_record_not_found: missing('dataset record'),
  dataset_task_not_found: missing('dataset task'),
  dataset_full: {
    status: 409,
    when: 'A dataset has as many records as one may have.',
    fix: 'Delete records of it, or use another dataset.',
    message: (recordsMax: number) =>
      `The dataset is full: it may have ${recordsMax} records. Delete some, or use another dataset.`,
  },
  dataset_record_too_large: {
    status: 413,
    when: 'A record has more than 1 MiB as JSON.',
    fix: 'Leave out what is not judged, such as pictures.',
    message: 'A record may have at most 1 MiB as JSON. Leave out what is not judged, such as pictures.',
  },
  dataset_imports_busy: {
    status: 409,
    when: 'Many imports into the dataset are still running.',
    fix: 'Wait until one of them has ended.',
    message: (importsMax: number) =>
      `${importsMax} imports into this dataset are still running. Wait until one of them has ended.`,
  },
  dataset_mapping_invalid: {
    status: 422,
    when: 'Two mappings of an import from spans have the same target.',
    fix: 'Give each mapping a target of its own.',
  },
  dataset_link_invalid: {
    status: 403,
    fix: 'Ask for a new link: `GET /v1/observability/datasets/{dataset_id}/exports/to-jsonl`.',
    message: 'This download link is not valid or has expired. Ask for a new one.',
  },
});

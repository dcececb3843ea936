import type { KnownDifference } from './reconcile-differences.ts';

const strict = 'Unknown properties are refused wherever the contract does not say otherwise.';
const bounded = 'Texts, lists and pages have a maximum, and what must say something may not be empty.';
const idempotent = 'Whatever creates something honours Idempotency-Key, which no client needs to know.';
const newest = 'Both newest SDKs type it.';
const slugs = 'A dataset is found by its id or by its slug, as the newest SDKs say.';

const closed = [
  'CreateDatasetRecordRequest',
  'CreateDatasetRequest',
  'CreateJudgeRequest',
  'DeleteDatasetRecordsRequest',
  'ImportDatasetFromDatasetRequest',
  'ImportDatasetFromFileRequest',
  'ImportDatasetFromPlaygroundRequest',
  'JudgeClassificationOutput',
  'JudgeClassificationOutputOption',
  'JudgeConversationRequest',
  'JudgeDatasetRecordRequest',
  'JudgeRegressionOutput',
  'UpdateDatasetRecordPayloadRequest',
  'UpdateDatasetRecordPropertiesRequest',
  'UpdateDatasetRequest',
  'UpdateJudgeRequest',
];

const limited = [
  'CreateJudgeRequest',
  'ImportDatasetFromPlaygroundRequest',
  'JudgeClassificationOutput',
  'JudgeClassificationOutputOption',
  'JudgeConversationRequest',
  'JudgeRegressionOutput',
  'UpdateDatasetRequest',
  'UpdateJudgeRequest',
];

const DATASET = '/v1/observability/datasets/{dataset_id}';
const creating = [
  '/v1/observability/judges',
  '/v1/observability/datasets',
  ...['records', 'imports/from-dataset', 'imports/from-file', 'imports/from-playground'].map(
    (path) => `${DATASET}/${path}`,
  ),
];

/** Judges, datasets and evaluations of spans. */
export const observabilityDifferences: KnownDifference[] = [
  ...closed.map((at): KnownDifference => ({ at, kind: 'closed-here', reason: strict })),
  ...limited.map((at): KnownDifference => ({ at: `${at}.*`, kind: 'limit', reason: bounded })),
  ...creating.map(
    (path): KnownDifference => ({
      at: `POST ${path} header.idempotency-key`,
      kind: 'added-parameter',
      reason: idempotent,
    }),
  ),
  ...['Dataset.slug', 'DatasetPreview.slug', 'DatasetImportTask.result', 'CreateDatasetRecordRequest.source'].map(
    (at): KnownDifference => ({ at, kind: 'added-property', reason: newest }),
  ),
  { at: 'CreateDatasetRecordRequest.properties', kind: 'default', reason: newest },
  { at: 'DatasetRecordSource', kind: 'enum', reason: newest },
  ...['GET', 'DELETE', 'PATCH'].map(
    (method): KnownDifference => ({ at: `${method} ${DATASET} path.1*`, kind: 'limit', reason: slugs }),
  ),
  ...['GET', 'POST'].map((method): KnownDifference => ({ at: `${method} ${DATASET}/*`, kind: 'limit', reason: slugs })),
  { at: 'ObservabilityError.*', kind: 'added-property', reason: 'The fields of every other error stand beside it.' },
  { at: 'ObservabilityErrorDetail.error_code', kind: 'enum', reason: 'The SDKs take any code; ours are in capitals.' },
  { at: 'GET /v1/observability/datasets query.*', kind: 'limit', reason: bounded },
  { at: 'GET /v1/observability/judges query.*', kind: 'limit', reason: bounded },
  { at: 'GET /v1/observability/spans/evaluations/*', kind: 'limit', reason: bounded },
  { at: 'POST /v1/observability/spans/evaluations/*', kind: 'limit', reason: bounded },
];

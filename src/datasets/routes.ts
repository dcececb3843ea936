import { JudgeOutput } from '../judges/index.ts';
import { type AnyRoute, raw, route } from '../kit/http/index.ts';
import {
  CreateDatasetRecordRequest,
  CreateDatasetRequest,
  Dataset,
  DatasetImportTask,
  DatasetParams,
  DatasetPreview,
  DatasetRecord,
  DatasetsQuery,
  DeleteDatasetRecordsRequest,
  DownloadParams,
  ExportDatasetResponse,
  ImportDatasetFromDatasetRequest,
  ImportDatasetFromFileRequest,
  ImportDatasetFromPlaygroundRequest,
  ImportDatasetFromSpansRequest,
  JudgeDatasetRecordRequest,
  ListDatasetImportTasksResponse,
  ListDatasetRecordsResponse,
  ListDatasetsResponse,
  PageQuery,
  RecordParams,
  SignedQuery,
  TaskParams,
  UpdateDatasetRecordPayloadRequest,
  UpdateDatasetRecordPropertiesRequest,
  UpdateDatasetRequest,
} from './schema.ts';
import type { DatasetService } from './service/dataset-service.ts';

const DATASETS = '/v1/observability/datasets';
const DATASET = `${DATASETS}/:dataset_id`;
const RECORDS = '/v1/observability/dataset-records';
const RECORD = `${RECORDS}/:dataset_record_id`;
const JSONL = 'application/x-ndjson';
const read = { tags: ['observability'], permission: 'datasets:read' };
const write = { tags: ['observability'], permission: 'datasets:write' };

export function datasetRoutes(service: DatasetService): AnyRoute[] {
  return [
    ...ownRoutes(service),
    ...recordRoutes(service),
    ...importRoutes(service),
    route({
      ...read,
      method: 'GET',
      path: `${DATASET}/exports/to-jsonl`,
      operationId: 'export_dataset_to_jsonl_v1_observability_datasets__dataset_id__exports_to_jsonl_get',
      summary: 'Create a download link of all records as JSON lines, for 30 minutes',
      params: DatasetParams,
      response: ExportDatasetResponse,
      handler: async ({ scope, params, origin }) => ({
        file_url: await service.exports.link(scope, params.dataset_id, origin),
      }),
    }),
    route({
      tags: ['observability'],
      permission: 'public',
      method: 'GET',
      path: `${DATASET}/exports/download`,
      operationId: 'download_dataset',
      summary: 'Download all records of a dataset by a signed link',
      params: DownloadParams,
      query: SignedQuery,
      downloads: JSONL,
      handler: async ({ params, query }) => {
        const { filename, content } = await service.exports.open(params.dataset_id, query);
        return raw(content, JSONL, {
          'content-disposition': `attachment; filename="${filename}"`,
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, no-store',
        });
      },
    }),
  ];
}

function ownRoutes(service: DatasetService): AnyRoute[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: DATASETS,
      operationId: 'get_datasets_v1_observability_datasets_get',
      summary: 'List datasets, newest first',
      query: DatasetsQuery,
      response: ListDatasetsResponse,
      handler: ({ scope, query }) => service.datasets.list(scope, query),
    }),
    route({
      ...write,
      method: 'POST',
      path: DATASETS,
      operationId: 'create_dataset_v1_observability_datasets_post',
      summary: 'Create a dataset',
      creates: true,
      status: 201,
      body: CreateDatasetRequest,
      response: Dataset,
      handler: ({ scope, body }) => service.datasets.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: DATASET,
      operationId: 'get_dataset_by_id_v1_observability_datasets__dataset_id__get',
      summary: 'Read a dataset, by its id or its slug',
      params: DatasetParams,
      response: DatasetPreview,
      handler: ({ scope, params }) => service.datasets.get(scope, params.dataset_id),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: DATASET,
      operationId: 'update_dataset_v1_observability_datasets__dataset_id__patch',
      summary: 'Rename or describe a dataset',
      params: DatasetParams,
      body: UpdateDatasetRequest,
      response: DatasetPreview,
      handler: ({ scope, params, body }) => service.datasets.update(scope, params.dataset_id, body),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: DATASET,
      operationId: 'delete_dataset_v1_observability_datasets__dataset_id__delete',
      summary: 'Delete a dataset with its records',
      status: 204,
      params: DatasetParams,
      handler: ({ scope, params }) => service.datasets.remove(scope, params.dataset_id),
    }),
  ];
}

function recordRoutes(service: DatasetService): AnyRoute[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: `${DATASET}/records`,
      operationId: 'get_dataset_records_v1_observability_datasets__dataset_id__records_get',
      summary: 'List the records of a dataset in the order in which they were added',
      params: DatasetParams,
      query: PageQuery,
      response: ListDatasetRecordsResponse,
      handler: ({ scope, params, query }) => service.records.list(scope, params.dataset_id, query),
    }),
    route({
      ...write,
      method: 'POST',
      path: `${DATASET}/records`,
      operationId: 'create_dataset_record_v1_observability_datasets__dataset_id__records_post',
      summary: 'Add a record to a dataset',
      creates: true,
      largeBody: true,
      status: 201,
      params: DatasetParams,
      body: CreateDatasetRecordRequest,
      response: DatasetRecord,
      handler: ({ scope, params, body }) => service.records.create(scope, params.dataset_id, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: RECORD,
      operationId: 'get_dataset_record_v1_observability_dataset_records__dataset_record_id__get',
      summary: 'Read a record',
      params: RecordParams,
      response: DatasetRecord,
      handler: ({ scope, params }) => service.records.get(scope, params.dataset_record_id),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: RECORD,
      operationId: 'delete_dataset_record_v1_observability_dataset_records__dataset_record_id__delete',
      summary: 'Delete a record',
      status: 204,
      params: RecordParams,
      handler: ({ scope, params }) => service.records.remove(scope, params.dataset_record_id),
    }),
    route({
      ...write,
      method: 'POST',
      path: `${RECORDS}/bulk-delete`,
      operationId: 'delete_dataset_records_v1_observability_dataset_records_bulk_delete_post',
      summary: 'Delete several records; ids that are missing are passed over',
      status: 204,
      body: DeleteDatasetRecordsRequest,
      handler: ({ scope, body }) => service.records.removeAll(scope, body.dataset_record_ids),
    }),
    route({
      tags: ['observability'],
      permission: 'judges:use',
      method: 'POST',
      path: `${RECORD}/live-judging`,
      operationId: 'judge_dataset_record_v1_observability_dataset_records__dataset_record_id__live_judging_post',
      summary: 'Judge a record now, by a judge that the request defines',
      params: RecordParams,
      body: JudgeDatasetRecordRequest,
      response: JudgeOutput,
      alsoAnswers: [502, 504],
      handler: (context) =>
        service.records.judge(context, context.params.dataset_record_id, context.body.judge_definition),
    }),
    route({
      ...write,
      method: 'PUT',
      path: `${RECORD}/payload`,
      operationId: 'update_dataset_record_payload_v1_observability_dataset_records__dataset_record_id__payload_put',
      summary: 'Replace the payload of a record',
      status: 204,
      stores: true,
      largeBody: true,
      params: RecordParams,
      body: UpdateDatasetRecordPayloadRequest,
      handler: ({ scope, params, body }) => service.records.update(scope, params.dataset_record_id, body),
    }),
    route({
      ...write,
      method: 'PUT',
      path: `${RECORD}/properties`,
      operationId:
        'update_dataset_record_properties_v1_observability_dataset_records__dataset_record_id__properties_put',
      summary: 'Replace the properties of a record',
      status: 204,
      stores: true,
      largeBody: true,
      params: RecordParams,
      body: UpdateDatasetRecordPropertiesRequest,
      handler: ({ scope, params, body }) => service.records.update(scope, params.dataset_record_id, body),
    }),
  ];
}

function importRoutes(service: DatasetService): AnyRoute[] {
  const start = { ...write, method: 'POST', creates: true, status: 202, params: DatasetParams } as const;
  return [
    route({
      ...start,
      path: `${DATASET}/imports/from-file`,
      operationId: 'post_dataset_records_from_file_v1_observability_datasets__dataset_id__imports_from_file_post',
      summary: 'Import records from an uploaded file of JSON lines',
      body: ImportDatasetFromFileRequest,
      response: DatasetImportTask,
      handler: ({ scope, params, body }) => service.imports.start(scope, params.dataset_id, 'file', body),
    }),
    route({
      ...start,
      path: `${DATASET}/imports/from-dataset`,
      operationId: 'post_dataset_records_from_dataset_v1_observability_datasets__dataset_id__imports_from_dataset_post',
      summary: 'Import copies of records of other datasets',
      body: ImportDatasetFromDatasetRequest,
      response: DatasetImportTask,
      handler: ({ scope, params, body }) => service.imports.start(scope, params.dataset_id, 'dataset', body),
    }),
    route({
      ...start,
      path: `${DATASET}/imports/from-playground`,
      operationId:
        'post_dataset_records_from_playground_v1_observability_datasets__dataset_id__imports_from_playground_post',
      summary: 'Import conversations, each as one record',
      body: ImportDatasetFromPlaygroundRequest,
      response: DatasetImportTask,
      handler: ({ scope, params, body }) => service.imports.start(scope, params.dataset_id, 'playground', body),
    }),
    route({
      ...start,
      path: `${DATASET}/imports/from-spans`,
      operationId: 'post_dataset_records_from_spans_v1_observability_datasets__dataset_id__imports_from_spans_post',
      summary: 'Import attributes of spans, each span as one record',
      largeBody: true,
      body: ImportDatasetFromSpansRequest,
      response: DatasetImportTask,
      handler: ({ scope, params, body }) => service.imports.start(scope, params.dataset_id, 'spans', body),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${DATASET}/tasks`,
      operationId: 'get_dataset_import_tasks_v1_observability_datasets__dataset_id__tasks_get',
      summary: 'List the imports of a dataset, newest first',
      params: DatasetParams,
      query: PageQuery,
      response: ListDatasetImportTasksResponse,
      handler: ({ scope, params, query }) => service.imports.list(scope, params.dataset_id, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${DATASET}/tasks/:task_id`,
      operationId: 'get_dataset_import_task_v1_observability_datasets__dataset_id__tasks__task_id__get',
      summary: 'Read how far an import is',
      params: TaskParams,
      response: DatasetImportTask,
      handler: ({ scope, params }) => service.imports.get(scope, params.dataset_id, params.task_id),
    }),
  ];
}

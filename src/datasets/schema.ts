import { z } from 'zod';
import { SignedQuery } from '../files/index.ts';
import { CreateJudgeRequest } from '../judges/index.ts';
import { limitedObject, numberedPageOf, numberedPageQuery } from '../kit/http/index.ts';
import { SpanId, TraceId } from '../traces/index.ts';

export const RECORD_BYTES_MAX = 1024 * 1024;
/** Of one dataset. */
export const RECORDS_MAX = 100_000;
const SEARCH_CHARACTERS_MAX = 500;
const BULK_MAX = 500;
const IMPORTED_AT_ONCE_MAX = 10_000;
const CONVERSATIONS_MAX = 1000;
const MAPPINGS_MAX = 100;
const KEY_CHARACTERS_MAX = 256;
const KEYS_MAX = 1000;

/** PostgreSQL cannot store NUL in a text. */
const storable = z.string().overwrite((text) => text.replaceAll('\0', '\ufffd'));
const name = storable.min(5).max(50);
const description = storable.max(200);

const times = {
  id: z.uuid(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  deleted_at: z.iso.datetime().nullable(),
};

const dataset = {
  ...times,
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  owner_id: z.uuid(),
  workspace_id: z.uuid(),
};
export const Dataset = z.object(dataset).meta({ id: 'Dataset' });
export type Dataset = z.infer<typeof Dataset>;
export const DatasetPreview = z.object(dataset).meta({ id: 'DatasetPreview' });

export const CreateDatasetRequest = z.strictObject({ name, description }).meta({ id: 'CreateDatasetRequest' });
export type CreateDatasetRequest = z.infer<typeof CreateDatasetRequest>;

export const UpdateDatasetRequest = z
  .strictObject({ name: name.nullable().optional(), description: description.nullable().optional() })
  .meta({ id: 'UpdateDatasetRequest' });
export type UpdateDatasetRequest = z.infer<typeof UpdateDatasetRequest>;

export const DatasetsQuery = z.strictObject({
  ...numberedPageQuery,
  q: storable.max(SEARCH_CHARACTERS_MAX).nullable().optional(),
});
export type DatasetsQuery = z.infer<typeof DatasetsQuery>;

export const ListDatasetsResponse = z
  .object({ datasets: numberedPageOf('PaginatedResultDatasetPreview', DatasetPreview) })
  .meta({ id: 'ListDatasetsResponse' });
export type ListDatasetsResponse = z.infer<typeof ListDatasetsResponse>;

/** A dataset by its id or its slug; what looks like an id is one. */
const datasetId = z.string().min(1).max(SEARCH_CHARACTERS_MAX);
export const DatasetParams = z.strictObject({ dataset_id: datasetId });
export const DownloadParams = z.strictObject({ dataset_id: z.uuid() });
export const TaskParams = z.strictObject({ dataset_id: datasetId, task_id: z.uuid() });
export const PageQuery = z.strictObject(numberedPageQuery);
export type PageQuery = z.infer<typeof PageQuery>;
export { SignedQuery };

const DatasetRecordPayload = limitedObject({ keys: KEYS_MAX, characters: RECORD_BYTES_MAX }).meta({
  id: 'DatasetRecordPayload',
});
const properties = limitedObject({ keys: KEYS_MAX, characters: RECORD_BYTES_MAX });

export const DatasetRecordSource = z
  .enum(['EXPLORER', 'UPLOADED_FILE', 'DIRECT_INPUT', 'PLAYGROUND', 'TELEMETRY_SPAN'])
  .meta({ id: 'DatasetRecordSource' });
export type DatasetRecordSource = z.infer<typeof DatasetRecordSource>;

const anyObject = z.record(z.string(), z.unknown());

export const DatasetRecord = z
  .object({
    ...times,
    dataset_id: z.uuid(),
    payload: DatasetRecordPayload,
    properties: anyObject,
    source: DatasetRecordSource,
  })
  .meta({ id: 'DatasetRecord' });
export type DatasetRecord = z.infer<typeof DatasetRecord>;

export const CreateDatasetRecordRequest = z
  .strictObject({
    payload: DatasetRecordPayload,
    properties: properties.default({}),
    source: z.enum(['DIRECT_INPUT', 'TELEMETRY_SPAN']).default('DIRECT_INPUT'),
  })
  .meta({ id: 'CreateDatasetRecordRequest' });
export type CreateDatasetRecordRequest = z.infer<typeof CreateDatasetRecordRequest>;

export const UpdateDatasetRecordPayloadRequest = z
  .strictObject({ payload: DatasetRecordPayload })
  .meta({ id: 'UpdateDatasetRecordPayloadRequest' });
export const UpdateDatasetRecordPropertiesRequest = z
  .strictObject({ properties })
  .meta({ id: 'UpdateDatasetRecordPropertiesRequest' });

export const RecordParams = z.strictObject({ dataset_record_id: z.uuid() });

export const ListDatasetRecordsResponse = z
  .object({ records: numberedPageOf('PaginatedResultDatasetRecord', DatasetRecord) })
  .meta({ id: 'ListDatasetRecordsResponse' });

export const DeleteDatasetRecordsRequest = z
  .strictObject({ dataset_record_ids: z.array(z.uuid()).min(1).max(BULK_MAX) })
  .meta({ id: 'DeleteDatasetRecordsRequest' });

export const JudgeDatasetRecordRequest = z
  .strictObject({ judge_definition: CreateJudgeRequest })
  .meta({ id: 'JudgeDatasetRecordRequest' });

export const ExportDatasetResponse = z.object({ file_url: z.string() }).meta({ id: 'ExportDatasetResponse' });

const BaseTaskStatus = z
  .enum(['RUNNING', 'COMPLETED', 'FAILED', 'CANCELED', 'TERMINATED', 'CONTINUED_AS_NEW', 'TIMED_OUT', 'UNKNOWN'])
  .meta({ id: 'BaseTaskStatus' });
export type TaskStatus = z.infer<typeof BaseTaskStatus>;

const DatasetImportResult = z
  .object({ requested_record_count: z.int(), imported_record_count: z.int(), skipped_record_count: z.int() })
  .meta({ id: 'DatasetImportResult' });

export const DatasetImportTask = z
  .object({
    ...times,
    creator_id: z.uuid(),
    dataset_id: z.uuid(),
    workspace_id: z.uuid(),
    status: BaseTaskStatus,
    progress: z.int().min(0).max(100).nullable().optional(),
    message: z.string().nullable().optional(),
    result: DatasetImportResult.nullable().optional(),
  })
  .meta({ id: 'DatasetImportTask' });
export type DatasetImportTask = z.infer<typeof DatasetImportTask>;

export const ListDatasetImportTasksResponse = z
  .object({ tasks: numberedPageOf('PaginatedResultDatasetImportTask', DatasetImportTask) })
  .meta({ id: 'ListDatasetImportTasksResponse' });
export type ListDatasetImportTasksResponse = z.infer<typeof ListDatasetImportTasksResponse>;

export const ImportDatasetFromFileRequest = z
  .strictObject({ file_id: z.uuid() })
  .meta({ id: 'ImportDatasetFromFileRequest' });
export const ImportDatasetFromDatasetRequest = z
  .strictObject({ dataset_record_ids: z.array(z.uuid()).min(1).max(IMPORTED_AT_ONCE_MAX) })
  .meta({ id: 'ImportDatasetFromDatasetRequest' });
export const ImportDatasetFromPlaygroundRequest = z
  .strictObject({ conversation_ids: z.array(storable.max(SEARCH_CHARACTERS_MAX)).min(1).max(CONVERSATIONS_MAX) })
  .meta({ id: 'ImportDatasetFromPlaygroundRequest' });

const TelemetrySpanReference = z
  .strictObject({ trace_id: TraceId, span_id: SpanId })
  .meta({ id: 'TelemetrySpanReference' });
const SpanDatasetMapping = z
  .strictObject({
    target_field: z.string().min(1).max(KEY_CHARACTERS_MAX),
    source_field: z
      .strictObject({
        namespace: z.enum(['span_attributes', 'resource_attributes']).meta({ id: 'SpanDatasetSourceNamespace' }),
        key: z.string().min(1).max(KEY_CHARACTERS_MAX),
      })
      .meta({ id: 'SpanDatasetSourceReference' }),
  })
  .meta({ id: 'SpanDatasetMapping' });

export const ImportDatasetFromSpansRequest = z
  .strictObject({
    span_references: z.array(TelemetrySpanReference).min(1).max(IMPORTED_AT_ONCE_MAX),
    mapping_contract: z
      .strictObject({
        mappings: z.array(SpanDatasetMapping).min(1).max(MAPPINGS_MAX),
        version: z.literal(1).default(1),
      })
      .meta({ id: 'SpanDatasetMappingContract' }),
  })
  .meta({ id: 'ImportDatasetFromSpansRequest' });

/** What an import reads, by its kind. */
export type ImportRequests = {
  file: z.infer<typeof ImportDatasetFromFileRequest>;
  dataset: z.infer<typeof ImportDatasetFromDatasetRequest>;
  playground: z.infer<typeof ImportDatasetFromPlaygroundRequest>;
  spans: z.infer<typeof ImportDatasetFromSpansRequest>;
};
export type ImportKind = keyof ImportRequests;

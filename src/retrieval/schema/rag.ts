import { z } from 'zod';

const NAME_MAX = 256;
const DEFINITION_MAX = 200_000;
const INT_MAX = 2_147_483_647;
const name = z.string().min(1).max(NAME_MAX);
const date = z.iso.datetime({ offset: true });

export const SchemaFieldDataType = z
  .enum(['int', 'bool', 'string', 'embedding', 'long', 'float'])
  .meta({ id: 'SchemaFieldDataType' });
export const SchemaFieldStorage = z.enum(['in_memory', 'on_disk']).meta({ id: 'SchemaFieldStorage' });
export const SchemaFieldRankingType = z
  .enum(['count', 'embedding', 'timestamp', 'text', 'string', 'bool', 'int', 'language'])
  .meta({ id: 'SchemaFieldRankingType' });
export const SchemaFieldIndex = z.enum(['ann', 'bm25', 'attribute']).meta({ id: 'SchemaFieldIndex' });

const VespaField = z
  .strictObject({
    name,
    type: SchemaFieldDataType,
    storage: SchemaFieldStorage,
    ranking: SchemaFieldRankingType,
    index_type: SchemaFieldIndex.nullable(),
    multidimensional: z.boolean(),
  })
  .meta({ id: 'RegisterDeploymentRequestVespaField' });

const VespaIndex = z
  .strictObject({
    name,
    fields: z.array(VespaField).max(500),
    /** Vespa's own definition of the schema. */
    sd: z.string().max(DEFINITION_MAX),
    embedding_dimensions: z.int().min(1).max(65_536).nullable().optional(),
  })
  .meta({ id: 'RegisterDeploymentRequestVespaIndex' });

const VespaDeployment = z
  .strictObject({
    type: z.literal('vespa').default('vespa'),
    vespa_version: z.string().max(NAME_MAX),
    indexes: z.array(VespaIndex).max(100),
    query_url: z.string().max(2048),
  })
  .meta({ id: 'RegisterDeploymentRequestVespaDeployment' });
export type VespaDeployment = z.infer<typeof VespaDeployment>;

export const RegisterDeployment = z
  .strictObject({ name, status: z.enum(['online', 'offline']).default('offline'), deployment: VespaDeployment })
  .meta({ id: 'RegisterDeploymentRequestDeployment' });
export type RegisterDeployment = z.infer<typeof RegisterDeployment>;

export const RegisteredDeployment = z.object({ id: z.uuid() }).meta({ id: 'RegisterSearchIndexResponseIndex' });

const SummaryIndex = z
  .object({ id: z.uuid(), name: z.string(), document_count: z.int().nullable() })
  .meta({ id: 'GetDeploymentSummariesResponseVespaIndex' });

const SummaryDeployment = z
  .object({
    id: z.uuid(),
    name: z.string(),
    creator_id: z.string(),
    document_count: z.int(),
    status: z.enum(['online', 'offline']),
    created_at: date,
    modified_at: date,
    deployment: z
      .object({ type: z.literal('vespa').default('vespa'), indexes: z.array(SummaryIndex) })
      .meta({ id: 'GetDeploymentSummariesResponseVespaDeployment' }),
  })
  .meta({ id: 'GetDeploymentSummariesResponseDeployment' });
export type DeploymentSummary = z.infer<typeof SummaryDeployment>;

export const DeploymentSummaries = z
  .object({ deployments: z.array(SummaryDeployment) })
  .meta({ id: 'GetDeploymentSummariesResponse' });

const IndexMetrics = z
  .strictObject({ name, document_count: z.int().min(0).max(INT_MAX) })
  .meta({ id: 'UpdateMetricsRequestIndexMetrics' });

export const UpdateMetrics = z.discriminatedUnion('status', [
  z
    .strictObject({
      status: z.literal('online'),
      document_count: z.int().min(0).max(INT_MAX),
      index_metrics: z.array(IndexMetrics).max(100),
    })
    .meta({ id: 'UpdateMetricsRequestDeploymentMetricsOnline' }),
  z
    .strictObject({ status: z.literal('offline'), clear_metrics: z.boolean().default(false) })
    .meta({ id: 'UpdateMetricsRequestDeploymentMetricsOffline' }),
]);
export type UpdateMetrics = z.infer<typeof UpdateMetrics>;

export const DeploymentParams = z.strictObject({ deployment_id: z.uuid() });

const composition = z
  .record(z.string().max(NAME_MAX), z.string().max(10_000))
  .refine((value) => Object.keys(value).length <= 100, { error: 'this may have at most 100 keys' })
  .meta({ maxProperties: 100 })
  .nullable();

export const RegisterPipeline = z
  .strictObject({
    name,
    pipeline_composition: composition.optional(),
    target_indexes: z
      .array(
        z
          .strictObject({ name, type: z.literal('vespa').default('vespa') })
          .meta({ id: 'IngestionPipelineTargetIndexRef' }),
      )
      .max(100)
      .nullable()
      .optional(),
  })
  .meta({ id: 'CreateIngestionPipelineConfigurationRequest' });
export type RegisterPipeline = z.infer<typeof RegisterPipeline>;

export const Pipeline = z
  .object({
    id: z.uuid(),
    author_id: z.string(),
    name: z.string(),
    created_at: date,
    modified_at: date,
    last_run_time: date.nullable(),
    last_run_chunks_count: z.int(),
    total_chunks_count: z.int(),
    pipeline_composition: z.record(z.string(), z.string()).nullable(),
  })
  .meta({ id: 'IngestionPipelineConfiguration' });
export type Pipeline = z.infer<typeof Pipeline>;

export const UpdateRunInfo = z
  .strictObject({ execution_time: date, chunks_count: z.int().min(0).max(INT_MAX) })
  .meta({ id: 'UpdateRunInfo' });
export type UpdateRunInfo = z.infer<typeof UpdateRunInfo>;

export const PipelineParams = z.strictObject({ id: z.uuid() });

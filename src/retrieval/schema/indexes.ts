import { z } from 'zod';
import { limitJson, queryBool, queryInt } from '../../kit/http/index.ts';

const FIELDS_MAX = 100;
const DOCUMENTS_MAX = 1000;
const DOCUMENT_CHARACTERS_MAX = 5_000_000;
const SUMMARY_MAX = 100_000;

const IndexName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, 'A name has 1 to 128 letters, digits, _, - and .')
  .max(128);

const embedding = {
  name: z.string().min(1).max(256),
  dimensions: z.int().min(1).max(4096),
  dtype: z.enum(['float16', 'float32']).optional(),
  distance_metric: z.enum(['cosine', 'inner_product', 'l2']).optional(),
};
const MistralEmbedding = z
  .strictObject({ type: z.literal('mistral'), ...embedding })
  .meta({ id: 'MistralEmbeddingModel' });
const CustomEmbedding = z
  .strictObject({ type: z.literal('custom'), ...embedding })
  .meta({ id: 'CustomEmbeddingModel' });

export const ManagedIndexConfig = z
  .strictObject({ embedding: z.discriminatedUnion('type', [MistralEmbedding, CustomEmbedding]) })
  .meta({ id: 'ManagedIndexConfig' });
export type ManagedIndexConfig = z.infer<typeof ManagedIndexConfig>;

const fieldTypes = [
  ['bool', false, 'BoolFieldDefinition'],
  ['bool[]', false, 'BoolArrayFieldDefinition'],
  ['dense_vector', true, 'DenseVectorFieldDefinition'],
  ['float', false, 'FloatFieldDefinition'],
  ['float[]', false, 'FloatArrayFieldDefinition'],
  ['int', false, 'IntFieldDefinition'],
  ['int[]', false, 'IntArrayFieldDefinition'],
  ['json', false, 'JSONFieldDefinition'],
  ['keyword', true, 'KeywordFieldDefinition'],
  ['keyword[]', false, 'KeywordArrayFieldDefinition'],
  ['long', false, 'LongFieldDefinition'],
  ['long[]', false, 'LongArrayFieldDefinition'],
  ['text', true, 'TextFieldDefinition'],
  ['text[]', false, 'TextArrayFieldDefinition'],
  ['timestamp', false, 'TimestampFieldDefinition'],
  ['timestamp[]', false, 'TimestampArrayFieldDefinition'],
] as const;
export type FieldType = (typeof fieldTypes)[number][0];

const [first, ...others] = fieldTypes.map(([type, indexed, id]) =>
  z
    .strictObject({
      type: z.literal(type),
      indexed: z.boolean().default(indexed),
      required: z.boolean().default(false),
      system: z.boolean().default(false),
      default: z.unknown().check(limitJson(10_000)).meta({ maxLength: 10_000 }).optional(),
    })
    .meta({ id }),
);
const FieldDefinition = z.discriminatedUnion('type', [first as NonNullable<typeof first>, ...others]);
export type FieldDefinition = z.infer<typeof FieldDefinition>;

const FieldName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'A field has 1 to 128 letters, digits and _')
  .max(128);
const Fields = z
  .record(FieldName, FieldDefinition)
  .refine((fields) => Object.keys(fields).length <= FIELDS_MAX, { error: `this may have at most ${FIELDS_MAX} fields` })
  .meta({ maxProperties: FIELDS_MAX });
export type Fields = z.infer<typeof Fields>;

export const ManagedIndexFields = z
  .strictObject({ document_fields: Fields.default({}), chunk_fields: Fields.default({}) })
  .meta({ id: 'ManagedIndexFields' });
export type ManagedIndexFields = z.infer<typeof ManagedIndexFields>;

const ManagedIndexStatus = z.enum(['provisioning', 'ready', 'failed', 'deleting']).meta({ id: 'ManagedIndexStatus' });

export const CreateManagedIndex = z
  .strictObject({ name: IndexName, config: ManagedIndexConfig, schema: ManagedIndexFields.optional() })
  .meta({ id: 'CreateManagedIndexRequest' });
export type CreateManagedIndex = z.infer<typeof CreateManagedIndex>;

export const UpdateManagedIndex = z
  .strictObject({ schema: ManagedIndexFields })
  .meta({ id: 'UpdateManagedIndexRequest' });

export const ManagedIndex = z
  .object({
    id: z.uuid(),
    name: z.string(),
    creator_id: z.string(),
    status: ManagedIndexStatus,
    schema: ManagedIndexFields,
    config: ManagedIndexConfig,
    status_message: z.string().nullable().optional(),
    created_at: z.iso.datetime().nullable().optional(),
    modified_at: z.iso.datetime().nullable().optional(),
  })
  .meta({ id: 'ManagedIndexResponse' });
export type ManagedIndex = z.infer<typeof ManagedIndex>;

export const DeletedIndex = z
  .object({ id: z.uuid(), name: z.string(), status: ManagedIndexStatus })
  .meta({ id: 'DeleteManagedIndexResponse' });

export const ListIndexesQuery = z.strictObject({
  page_size: queryInt().min(1).max(100).default(20),
  page_token: z.string().max(2048).optional(),
  name: z.string().max(128).optional(),
  status: ManagedIndexStatus.optional(),
  creator_id: z.string().max(256).optional(),
});
export type ListIndexesQuery = z.infer<typeof ListIndexesQuery>;

export const ManagedIndexes = z
  .object({ data: z.array(ManagedIndex), next_page_token: z.string().nullable().optional() })
  .meta({ id: 'ListManagedIndexesResponse' });

export const ListIndexDocumentsQuery = z.strictObject({
  page_size: queryInt().min(1).max(100).default(20),
  page_token: z.string().max(2048).optional(),
});
export type ListIndexDocumentsQuery = z.infer<typeof ListIndexDocumentsQuery>;

/** Each as it can be ingested. */
export const IndexDocuments = z
  .object({ data: z.array(z.record(z.string(), z.unknown())), next_page_token: z.string().nullable() })
  .meta({ id: 'ListIndexDocumentsResponse' });
export type IndexDocuments = z.infer<typeof IndexDocuments>;

export const IngestDocuments = z
  .strictObject({
    documents: z
      .array(
        z
          .record(z.string().max(128), z.unknown())
          .check(limitJson(DOCUMENT_CHARACTERS_MAX))
          .meta({ maxProperties: FIELDS_MAX * 2 }),
      )
      .min(1)
      .max(DOCUMENTS_MAX),
  })
  .meta({ id: 'IngestDocumentsRequest' });
export type IngestDocuments = z.infer<typeof IngestDocuments>;

const FieldError = z
  .object({ location: z.array(z.union([z.string(), z.int()])), type: z.string(), message: z.string() })
  .meta({ id: 'DocumentFieldErrorResponse' });
export type FieldError = z.infer<typeof FieldError>;
const Accepted = z
  .object({ status: z.literal('accepted'), position: z.int(), document_id: z.string(), chunk_count: z.int() })
  .meta({ id: 'AcceptedDocumentResponse' });
const Rejected = z
  .object({ status: z.literal('rejected'), position: z.int(), errors: z.array(FieldError) })
  .meta({ id: 'RejectedDocumentResponse' });
export const IngestedDocuments = z
  .object({
    accepted: z.int(),
    rejected: z.int(),
    results: z.array(z.discriminatedUnion('status', [Accepted, Rejected])),
  })
  .meta({ id: 'IngestDocumentsResponse' });
export type IngestedDocuments = z.infer<typeof IngestedDocuments>;

export const DeleteDocuments = z
  .strictObject({ document_ids: z.array(z.string().min(1).max(512)).min(1).max(DOCUMENTS_MAX) })
  .meta({ id: 'DeleteDocumentsRequest' });
export const DeletedDocuments = z
  .object({ deleted_document_ids: z.array(z.string()), missing: z.array(z.string()) })
  .meta({ id: 'DeleteDocumentsResponse' });

export const IndexParams = z.strictObject({ index_name: z.string().max(256) });
export const ChunkParams = z.strictObject({ index_name: z.string().max(256), chunk_id: z.string().max(1024) });
export const SummaryParams = z.strictObject({
  index_name: z.string().max(256),
  language: z.enum(['en', 'fr', 'es', 'de', 'it', 'pt_br', 'pl', 'ar', 'nl']),
});
export type SummaryParams = z.infer<typeof SummaryParams>;
export const GenerateQuery = z.strictObject({ force: queryBool().default(false) });

export const IndexSummary = z
  .object({
    content: z.string(),
    status: z.enum(['handwritten', 'generated', 'generated_confirmed']),
    translated: z.boolean(),
  })
  .meta({ id: 'GetSummaryResponseSummary' });
export type IndexSummary = z.infer<typeof IndexSummary>;
export const UpdateSummary = z
  .strictObject({
    content: z.string().max(SUMMARY_MAX),
    status: z.enum(['handwritten', 'generated_confirmed']),
    translated: z.boolean(),
  })
  .meta({ id: 'UpdateSummaryRequestSummary' });
export type UpdateSummary = z.infer<typeof UpdateSummary>;

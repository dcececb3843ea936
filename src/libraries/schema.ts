import { z } from 'zod';
import { queryBool, queryInt } from '../kit/http/index.ts';

const NAME_MAX = 255;
const TEXT_MAX = 10_000;
const PAGE_SIZE_MAX = 100;
/** Keeps the offset, page times size, within the integers of both databases. */
const PAGE_MAX = 1_000_000_000;
const ATTRIBUTES_MAX = 64;
const ATTRIBUTE_TEXT_MAX = 4096;
const ATTRIBUTE_ITEMS_MAX = 256;

/** PostgreSQL cannot store NUL in a text. */
const storable = z.string().overwrite((text) => text.toWellFormed().replaceAll('\0', '\ufffd'));
const Name = storable.min(1).max(NAME_MAX);
const Description = storable.max(TEXT_MAX).nullable();

export const ProcessStatus = z
  .enum(['self_managed', 'missing_content', 'noop', 'done', 'todo', 'in_progress', 'error', 'waiting_for_capacity'])
  .meta({ id: 'ProcessStatus' });
export type ProcessStatus = z.infer<typeof ProcessStatus>;

export const ShareEnum = z.enum(['Viewer', 'Editor']).meta({ id: 'ShareEnum' });
export type ShareEnum = z.infer<typeof ShareEnum>;
export const EntityType = z.enum(['User', 'Workspace', 'Org']).meta({ id: 'EntityType' });
export type EntityType = z.infer<typeof EntityType>;

export const Library = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    owner_id: z.uuid().nullable(),
    owner_type: z.string(),
    total_size: z.int(),
    nb_documents: z.int(),
    chunk_size: z.int().nullable(),
    emoji: z.string().nullable().optional(),
    description: z.string().nullable().optional(),
    generated_description: z.string().nullable().optional(),
    explicit_user_members_count: z.int().nullable().optional(),
    explicit_workspace_members_count: z.int().nullable().optional(),
    org_sharing_role: z.string().nullable().optional(),
    generated_name: z.string().nullable().optional(),
  })
  .meta({ id: 'Library' });
export type Library = z.infer<typeof Library>;

export const PaginationInfo = z
  .object({
    total_items: z.int(),
    total_pages: z.int(),
    current_page: z.int(),
    page_size: z.int(),
    has_more: z.boolean(),
  })
  .meta({ id: 'PaginationInfo' });
export type PaginationInfo = z.infer<typeof PaginationInfo>;

export const ListLibrariesResponse = z
  .object({
    pagination: PaginationInfo.nullable().optional(),
    data: z.array(Library),
    next_page_token: z.string().nullable().optional(),
  })
  .meta({ id: 'ListLibrariesResponse' });
export type ListLibrariesResponse = z.infer<typeof ListLibrariesResponse>;

export const CreateLibraryRequest = z
  .strictObject({
    name: Name,
    description: Description.optional(),
    chunk_size: z.int().min(256).max(32_768).nullable().optional(),
    owner_type: z.enum(['User', 'Workspace']).nullable().optional(),
  })
  .meta({ id: 'CreateLibraryRequest' });
export type CreateLibraryRequest = z.infer<typeof CreateLibraryRequest>;

export const UpdateLibraryRequest = z
  .strictObject({ name: Name.optional(), description: Description.optional() })
  .meta({ id: 'UpdateLibraryRequest' });
export type UpdateLibraryRequest = z.infer<typeof UpdateLibraryRequest>;

export const Document = z
  .object({
    id: z.uuid(),
    library_id: z.uuid(),
    hash: z.string().nullable(),
    mime_type: z.string().nullable(),
    extension: z.string().nullable(),
    size: z.int().nullable(),
    name: z.string(),
    summary: z.string().nullable().optional(),
    created_at: z.iso.datetime(),
    last_processed_at: z.iso.datetime().nullable().optional(),
    number_of_pages: z.int().nullable().optional(),
    process_status: ProcessStatus,
    uploaded_by_id: z.uuid().nullable(),
    uploaded_by_type: z.string(),
    tokens_processing_main_content: z.int().nullable().optional(),
    tokens_processing_summary: z.int().nullable().optional(),
    url: z.string().nullable().optional(),
    attributes: z.record(z.string(), z.unknown()).nullable().optional(),
    expires_at: z.iso.datetime().nullable().optional(),
    processing_status: z.string(),
    tokens_processing_total: z.int(),
  })
  .meta({ id: 'Document' });
export type Document = z.infer<typeof Document>;

export const ListDocumentsResponse = z
  .object({ pagination: PaginationInfo, data: z.array(Document) })
  .meta({ id: 'ListDocumentsResponse' });
export type ListDocumentsResponse = z.infer<typeof ListDocumentsResponse>;

const text = storable.max(ATTRIBUTE_TEXT_MAX);
const list = <T extends z.ZodType>(item: T) => z.array(item).max(ATTRIBUTE_ITEMS_MAX);
const AttributeValue = z.union([
  z.boolean(),
  text,
  z.int(),
  z.number(),
  list(text),
  list(z.int()),
  list(z.number()),
  list(z.boolean()),
]);

export const UpdateDocumentRequest = z
  .strictObject({
    name: Name.optional(),
    attributes: z
      .record(storable.min(1).max(NAME_MAX), AttributeValue)
      .refine((attributes) => Object.keys(attributes).length <= ATTRIBUTES_MAX, `at most ${ATTRIBUTES_MAX} attributes`)
      .meta({ maxProperties: ATTRIBUTES_MAX })
      .nullable()
      .optional(),
    expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
  })
  .meta({ id: 'UpdateDocumentRequest' });
export type UpdateDocumentRequest = z.infer<typeof UpdateDocumentRequest>;

export const DocumentTextContent = z
  .object({
    text: z.string(),
    /** Only on request; null of a document that was read before this was kept. */
    left_out: z
      .array(z.object({ page: z.int().min(0), text: z.string() }))
      .nullable()
      .optional(),
  })
  .meta({ id: 'DocumentTextContent' });
export type DocumentTextContent = z.infer<typeof DocumentTextContent>;

export const ProcessingStatus = z
  .object({ document_id: z.uuid(), process_status: ProcessStatus, processing_status: z.string() })
  .meta({ id: 'ProcessingStatus' });
export type ProcessingStatus = z.infer<typeof ProcessingStatus>;

export const Sharing = z
  .object({
    library_id: z.uuid(),
    user_id: z.uuid().nullable().optional(),
    org_id: z.uuid(),
    role: z.string(),
    share_with_type: z.string(),
    share_with_uuid: z.uuid().nullable(),
  })
  .meta({ id: 'Sharing' });
export type Sharing = z.infer<typeof Sharing>;

const shared = { org_id: z.guid().nullable().optional(), share_with_uuid: z.guid(), share_with_type: EntityType };
export const SharingRequest = z.strictObject({ ...shared, level: ShareEnum }).meta({ id: 'SharingRequest' });
export type SharingRequest = z.infer<typeof SharingRequest>;
/** The level may be sent along; what is deleted is named by the entity. */
export const SharingDelete = z.strictObject({ ...shared, level: ShareEnum.optional() }).meta({ id: 'SharingDelete' });
export type SharingDelete = z.infer<typeof SharingDelete>;
export const ListSharingResponse = z.object({ data: z.array(Sharing) }).meta({ id: 'ListSharingResponse' });

export const LibraryParams = z.strictObject({ library_id: z.guid() });
export const DocumentParams = z.strictObject({ library_id: z.guid(), document_id: z.guid() });

export const LibrariesQuery = z.strictObject({
  page_size: queryInt().min(1).max(PAGE_SIZE_MAX).default(100),
  page_token: z.string().max(4096).nullable().optional(),
  page: queryInt().min(0).max(PAGE_MAX).default(0),
  search: storable.max(NAME_MAX).nullable().optional(),
  filter_owned_by_me: queryBool().nullable().optional(),
});
export type LibrariesQuery = z.infer<typeof LibrariesQuery>;

export const DocumentsQuery = z.strictObject({
  search: storable.max(NAME_MAX).nullable().optional(),
  page_size: queryInt().min(1).max(PAGE_SIZE_MAX).default(100),
  page: queryInt().min(0).max(PAGE_MAX).default(0),
  /** A JSON object: documents that have each of these attributes. */
  filters_attributes: storable.max(TEXT_MAX).nullable().optional(),
  sort_by: z
    .enum([
      'created_at',
      'last_processed_at',
      'name',
      'size',
      'number_of_pages',
      'extension',
      'mime_type',
      'process_status',
    ])
    .default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
});
export type DocumentsQuery = z.infer<typeof DocumentsQuery>;

export const TextContentQuery = z.strictObject({
  /** From 0; both are included. */
  page_start: queryInt().min(0).max(PAGE_MAX).nullable().optional(),
  page_end: queryInt().min(0).max(PAGE_MAX).nullable().optional(),
  /** Ours: what stands beside the text of the pages, such as headers and footers. */
  left_out: queryBool().optional(),
});
export type TextContentQuery = z.infer<typeof TextContentQuery>;

/** Of a signed address. */
export const SignedDocumentQuery = z.strictObject({
  content: z.enum(['original', 'text']),
  expires: queryInt().min(0),
  signature: z.string().max(128),
});
export type SignedDocumentQuery = z.infer<typeof SignedDocumentQuery>;

/** Ours: the published description has no way to add an address. */
export const AddWebDocuments = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }).max(4096),
    /** `site` reads the site map at the address, or that of its host, and adds the pages that it lists. */
    scope: z.enum(['page', 'site']).default('page'),
    pages_max: z.int().min(1).max(1000).default(100),
  })
  .meta({ id: 'AddWebDocuments' });
export type AddWebDocuments = z.infer<typeof AddWebDocuments>;

/** Ours: what a search finds of a document, in reading order. */
export const ChunksQuery = z.strictObject({
  /** Only those of one page, from 0. A document without pages has all on the first. */
  page: queryInt().min(0).max(PAGE_MAX).optional(),
  /** Only those after this position. */
  after: queryInt().min(0).max(PAGE_MAX).optional(),
  limit: queryInt().min(1).max(1000).default(100),
});
export type ChunksQuery = z.infer<typeof ChunksQuery>;

const boxes = z.array(
  z
    .object({ page: z.int(), x0: z.number(), y0: z.number(), x1: z.number(), y1: z.number() })
    .meta({ id: 'PassageBox' }),
);

export const DocumentChunk = z
  .object({
    position: z.int(),
    text: z.string(),
    kind: z.enum(['text', 'table', 'code', 'notes']),
    headings: z.array(z.string()),
    /** From 0; null where the document has no pages. */
    page: z.int().nullable(),
    /** Fractions of the page, from its top left corner. */
    boxes,
  })
  .meta({ id: 'DocumentChunk' });
export type DocumentChunk = z.infer<typeof DocumentChunk>;

export const ListChunksResponse = z
  .object({ data: z.array(DocumentChunk), has_more: z.boolean() })
  .meta({ id: 'ListChunksResponse' });
export type ListChunksResponse = z.infer<typeof ListChunksResponse>;

/** Ours, like the sources below: the published description has neither. */
export const SearchLibraryRequest = z
  .strictObject({
    query: storable.min(1).max(8000),
    top_k: z.int().min(1).max(50).default(10),
    /** By words and by meaning, or by one of them. */
    mode: z.enum(['hybrid', 'text', 'vector']).default('hybrid'),
    /** Only documents that have each of these attributes. */
    attributes: z
      .record(storable.min(1).max(NAME_MAX), z.union([z.boolean(), text, z.number()]))
      .refine((value) => Object.keys(value).length <= 16, 'at most 16 attributes')
      .meta({ maxProperties: 16 })
      .optional(),
    /** Lets the reranking model order the result, where the operator has set one. */
    rerank: z.boolean().default(false),
  })
  .meta({ id: 'SearchLibraryRequest' });
export type SearchLibraryRequest = z.infer<typeof SearchLibraryRequest>;

export const LibraryPassage = z
  .object({
    library_id: z.uuid(),
    document_id: z.uuid(),
    document_name: z.string(),
    chunk_id: z.string(),
    title: z.string(),
    text: z.string(),
    kind: z.enum(['text', 'table', 'code', 'notes']),
    headings: z.array(z.string()),
    /** From 0; null where the document has no pages. */
    page: z.int().nullable(),
    /** Fractions of the page, from its top left corner. */
    boxes,
    attributes: z.record(z.string(), z.unknown()),
    score: z.number(),
    scores: z.object({
      text: z.number().nullable(),
      vector: z.number().nullable(),
      fused: z.number(),
      rerank: z.number().nullable(),
    }),
  })
  .meta({ id: 'LibraryPassage' });
export type LibraryPassage = z.infer<typeof LibraryPassage>;

export const SearchLibraryResponse = z.object({ data: z.array(LibraryPassage) }).meta({ id: 'SearchLibraryResponse' });

const ignore = z.array(z.string().min(1).max(256)).max(50).default([]);
/** How a folder is written in a repository or below a root: without empty, hidden or upward parts. */
const folder = z
  .string()
  .max(1024)
  .refine((path) => path === '' || path.split('/').every((part) => part !== '' && !part.startsWith('.')), {
    error: 'name a folder such as docs/guide, without hidden or upward parts',
  });

export const SourcePlace = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('folder'),
        /** On the server, in one of `libraries.source_folders`. */
        path: storable.min(1).max(4096),
        ignore,
      })
      .meta({ id: 'FolderSource' }),
    z
      .strictObject({
        type: z.literal('git'),
        url: z
          .url({ protocol: /^https?$/ })
          .max(2048)
          .refine((url) => !/^https?:\/\/[^/]{0,2048}@/.test(url), 'leave user and password out'),
        /** Without one, the default branch. */
        branch: z
          .string()
          .max(255)
          .regex(/^[^\s~^:?*[\\]+$/)
          .optional(),
        /** Only this folder of the repository. */
        folder: folder.default(''),
        ignore,
      })
      .meta({ id: 'GitSource' }),
    z
      .strictObject({
        type: z.literal('site'),
        /** A site map, or an address of the host that has one. */
        url: z.url({ protocol: /^https?$/ }).max(2048),
        pages_max: z.int().min(1).max(1000).default(100),
      })
      .meta({ id: 'SiteSource' }),
  ])
  .meta({ id: 'LibrarySourcePlace' });
export type SourcePlace = z.infer<typeof SourcePlace>;

export const CreateLibrarySource = z
  .strictObject({
    place: SourcePlace,
    /** Null: only when somebody asks for it. */
    interval_seconds: z.int().min(300).max(2_592_000).nullable().default(3600),
  })
  .meta({ id: 'CreateLibrarySource' });
export type CreateLibrarySource = z.infer<typeof CreateLibrarySource>;

export const SourceStatus = z.enum(['waiting', 'running', 'done', 'error']).meta({ id: 'LibrarySourceStatus' });
export type SourceStatus = z.infer<typeof SourceStatus>;

export const SourceResult = z
  .object({
    added: z.int(),
    changed: z.int(),
    renamed: z.int(),
    removed: z.int(),
    unchanged: z.int(),
    /** Too large, or not readable by the server. */
    skipped: z.int(),
  })
  .meta({ id: 'LibrarySourceResult' });
export type SourceResult = z.infer<typeof SourceResult>;

export const LibrarySource = z
  .object({
    id: z.uuid(),
    library_id: z.uuid(),
    place: SourcePlace,
    interval_seconds: z.int().nullable(),
    status: SourceStatus,
    revision: z.string().nullable(),
    result: SourceResult.nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    last_run_at: z.iso.datetime().nullable(),
    next_run_at: z.iso.datetime().nullable(),
    created_by_id: z.uuid(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'LibrarySource' });
export type LibrarySource = z.infer<typeof LibrarySource>;

export const LibrarySources = z.object({ data: z.array(LibrarySource) }).meta({ id: 'LibrarySources' });
export const SourceParams = z.strictObject({ library_id: z.guid(), source_id: z.guid() });
export const DeleteSourceQuery = z.strictObject({ documents: z.enum(['keep', 'delete']).default('keep') });

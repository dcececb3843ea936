import { z } from 'zod';
import { queryBool, queryInt, queryList } from '../kit/http/index.ts';

const HOURS_MAX = 24 * 366 * 10;
const SIGNED_HOURS_MAX = 168;
const PAGE_SIZE_MAX = 1000;
/** Keeps the offset, page times size, within the integers of both databases. */
const PAGE_MAX = 1_000_000_000;

/** PostgreSQL cannot store NUL in a text, so no name or type has one. */
const storable = z.string().overwrite((text) => text.replaceAll('\0', '\ufffd'));

export const FilePurpose = z.enum(['fine-tune', 'batch', 'ocr', 'audio']).meta({ id: 'FilePurpose' });
export const FileVisibility = z.enum(['workspace', 'user']).meta({ id: 'FileVisibility' });
export const SampleType = z
  .enum(['pretrain', 'instruct', 'batch_request', 'batch_result', 'batch_error'])
  .meta({ id: 'SampleType' });
export const Source = z.enum(['upload', 'repository', 'mistral']).meta({ id: 'Source' });

const fileFields = {
  id: z.uuid(),
  object: z.string(),
  bytes: z.int(),
  created_at: z.int(),
  filename: z.string(),
  purpose: FilePurpose,
  sample_type: SampleType,
  num_lines: z.int().nullable().optional(),
  mimetype: z.string().nullable().optional(),
  source: Source,
  /** The SHA-256 of the content. */
  signature: z.string().nullable().optional(),
  expires_at: z.int().nullable().optional(),
  visibility: FileVisibility.nullable().optional(),
};

export const FileSchema = z.object(fileFields).meta({ id: 'FileSchema' });
export type FileSchema = z.infer<typeof FileSchema>;

export const CreateFileResponse = z.object(fileFields).meta({ id: 'CreateFileResponse' });

export const GetFileResponse = z.object({ ...fileFields, deleted: z.boolean() }).meta({ id: 'GetFileResponse' });

export const ListFilesResponse = z
  .object({ data: z.array(FileSchema), object: z.string(), total: z.int().nullable().optional() })
  .meta({ id: 'ListFilesResponse' });
export type ListFilesResponse = z.infer<typeof ListFilesResponse>;

export const DeleteFileResponse = z
  .object({ id: z.uuid(), object: z.string(), deleted: z.boolean() })
  .meta({ id: 'DeleteFileResponse' });

export const GetSignedUrlResponse = z.object({ url: z.string() }).meta({ id: 'GetSignedUrlResponse' });

export const FileParams = z.strictObject({ file_id: z.uuid() });

/** The form fields beside the file. */
export const FileUpload = z.strictObject({
  /** In hours from now; without it the file never expires. */
  expiry: queryInt().min(1).max(HOURS_MAX).nullable().optional(),
  visibility: FileVisibility.default('workspace'),
  purpose: FilePurpose.optional(),
});
export type FileUpload = z.infer<typeof FileUpload>;

export const FilesQuery = z.strictObject({
  page: queryInt().min(0).max(PAGE_MAX).default(0),
  page_size: queryInt().min(1).max(PAGE_SIZE_MAX).default(100),
  include_total: queryBool().default(true),
  sample_type: queryList(SampleType).nullable().optional(),
  source: queryList(Source).nullable().optional(),
  search: storable.nullable().optional(),
  purpose: FilePurpose.nullable().optional(),
  mimetypes: queryList(storable).nullable().optional(),
});
export type FilesQuery = z.infer<typeof FilesQuery>;

export const SignedUrlQuery = z.strictObject({ expiry: queryInt().min(1).max(SIGNED_HOURS_MAX).default(24) });

export const SignedQuery = z.strictObject({ expires: queryInt().min(0), signature: z.string() });
export type SignedQuery = z.infer<typeof SignedQuery>;

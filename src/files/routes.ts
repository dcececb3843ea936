import { type AnyRoute, raw, route } from '../kit/http/index.ts';
import {
  CreateFileResponse,
  DeleteFileResponse,
  FileParams,
  FilesQuery,
  FileUpload,
  GetFileResponse,
  GetSignedUrlResponse,
  ListFilesResponse,
  SignedQuery,
  SignedUrlQuery,
} from './schema.ts';
import type { FileService, OpenFile } from './service.ts';

const OCTETS = 'application/octet-stream';

export function fileRoutes(files: FileService): AnyRoute[] {
  const read = { tags: ['files'], permission: 'files:read' };
  const write = { tags: ['files'], permission: 'files:write' };
  return [
    route({
      ...write,
      method: 'POST',
      path: '/v1/files',
      operationId: 'files_api_routes_upload_file',
      summary: 'Upload a file',
      creates: true,
      upload: {
        part: 'file',
        bytesMax: () => files.bytesMax,
        stage: (content, bytesMax) => files.stage(content, bytesMax),
      },
      body: FileUpload,
      response: CreateFileResponse,
      handler: ({ scope, body, upload }) => files.upload(scope, body, upload),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/files',
      operationId: 'files_api_routes_list_files',
      summary: 'List the files that this key may read, newest first',
      query: FilesQuery,
      response: ListFilesResponse,
      handler: ({ scope, query }) => files.list(scope, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/files/:file_id',
      operationId: 'files_api_routes_retrieve_file',
      summary: 'Read the metadata of a file',
      params: FileParams,
      response: GetFileResponse,
      handler: async ({ scope, params }) => ({ ...(await files.get(scope, params.file_id)), deleted: false }),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/files/:file_id',
      operationId: 'files_api_routes_delete_file',
      summary: 'Delete a file',
      params: FileParams,
      response: DeleteFileResponse,
      handler: ({ scope, params }) => files.remove(scope, params.file_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/files/:file_id/content',
      operationId: 'files_api_routes_download_file',
      summary: 'Download the content of a file',
      params: FileParams,
      downloads: OCTETS,
      handler: async ({ scope, params }) => download(await files.open(scope, params.file_id)),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/files/:file_id/url',
      operationId: 'files_api_routes_get_signed_url',
      summary: 'Create a download link that needs no key, for `expiry` hours',
      params: FileParams,
      query: SignedUrlQuery,
      response: GetSignedUrlResponse,
      handler: async ({ scope, params, query, origin }) => ({
        url: await files.signUrl(scope, params.file_id, query.expiry, origin),
      }),
    }),
    route({
      tags: ['files'],
      permission: 'public',
      method: 'GET',
      path: '/v1/files/:file_id/download',
      operationId: 'files_download_signed',
      summary: 'Download the content of a file by a signed link',
      params: FileParams,
      query: SignedQuery,
      downloads: OCTETS,
      handler: async ({ params, query }) => download(await files.openSigned(params.file_id, query)),
    }),
  ];
}

// A browser only saves the content: it neither guesses its type nor runs it on our origin.
function download({ file, content }: OpenFile) {
  return raw(content.stream(), OCTETS, {
    'content-length': String(content.bytes),
    'content-disposition': attachment(file.filename),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, no-store',
  });
}

function attachment(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeValue(filename)}`;
}

/** RFC 8187: encodeURIComponent leaves five characters that a header value must encode. */
function encodeValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

import { type AnyRoute, raw, route } from '../kit/http/index.ts';
import { attachment } from './disposition.ts';
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
      summary: 'The files this key may read, newest first',
      query: FilesQuery,
      response: ListFilesResponse,
      handler: ({ scope, query }) => files.list(scope, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/files/:file_id',
      operationId: 'files_api_routes_retrieve_file',
      summary: 'What is known about one file',
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
      summary: 'The content of a file',
      params: FileParams,
      downloads: OCTETS,
      handler: async ({ scope, params }) => download(await files.open(scope, params.file_id)),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/files/:file_id/url',
      operationId: 'files_api_routes_get_signed_url',
      summary: 'An address that gives the content without a key, for `expiry` hours',
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
      summary: 'The content of a file, for whoever holds a signed address',
      params: FileParams,
      query: SignedQuery,
      downloads: OCTETS,
      handler: async ({ params, query }) => download(await files.openSigned(params.file_id, query)),
    }),
  ];
}

// Whatever somebody uploaded, a browser only saves it: it neither guesses a type nor runs anything under our name.
function download({ file, content }: OpenFile) {
  return raw(content.stream(), OCTETS, {
    'content-length': String(content.bytes),
    'content-disposition': attachment(file.filename),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, no-store',
  });
}

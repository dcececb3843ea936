import { z } from 'zod';
import { type AnyRoute, raw, route } from '../kit/http/index.ts';
import {
  AddWebDocuments,
  ChunksQuery,
  CreateLibraryRequest,
  CreateLibrarySource,
  DeleteSourceQuery,
  Document,
  DocumentParams,
  DocumentsQuery,
  DocumentTextContent,
  LibrariesQuery,
  Library,
  LibraryParams,
  LibrarySource,
  LibrarySources,
  ListChunksResponse,
  ListDocumentsResponse,
  ListLibrariesResponse,
  ListSharingResponse,
  ProcessingStatus,
  SearchLibraryRequest,
  SearchLibraryResponse,
  Sharing,
  SharingDelete,
  SharingRequest,
  SignedDocumentQuery,
  SourceParams,
  TextContentQuery,
  UpdateDocumentRequest,
  UpdateLibraryRequest,
} from './schema.ts';
import type { OpenDocument } from './service/documents.ts';
import type { LibraryService } from './service/library-service.ts';

const OCTETS = 'application/octet-stream';
const LIBRARY = '/v1/libraries/:library_id';
const DOCUMENTS = `${LIBRARY}/documents`;
const DOCUMENT = `${DOCUMENTS}/:document_id`;

export function libraryRoutes(service: LibraryService): AnyRoute[] {
  return [
    ...ofLibraries(service),
    ...ofDocuments(service),
    ...ofDocument(service),
    ...ofShares(service),
    ...ofSources(service),
  ];
}

const read = { permission: 'libraries:read' };
const write = { permission: 'libraries:write' };

function ofLibraries(service: LibraryService): AnyRoute[] {
  const tags = ['beta.libraries'];
  return [
    route({
      ...read,
      tags,
      method: 'GET',
      path: '/v1/libraries',
      operationId: 'libraries_list_v1',
      summary: 'List the libraries that this key may read, newest first',
      query: LibrariesQuery,
      response: ListLibrariesResponse,
      handler: ({ scope, query }) => service.libraries.list(scope, query),
    }),
    route({
      ...write,
      tags,
      method: 'POST',
      path: '/v1/libraries',
      operationId: 'libraries_create_v1',
      summary: 'Create a library',
      status: 201,
      creates: true,
      body: CreateLibraryRequest,
      response: Library,
      handler: ({ scope, body }) => service.libraries.create(scope, body),
    }),
    route({
      ...read,
      tags,
      method: 'GET',
      path: LIBRARY,
      operationId: 'libraries_get_v1',
      summary: 'Read a library',
      params: LibraryParams,
      response: Library,
      handler: ({ scope, params }) => service.libraries.get(scope, params.library_id),
    }),
    ...(['PATCH', 'PUT'] as const).map((method) =>
      route({
        ...write,
        tags,
        method,
        path: LIBRARY,
        operationId: method === 'PATCH' ? 'libraries_patch_v1' : 'libraries_update_v1',
        summary: 'Rename or describe a library',
        params: LibraryParams,
        body: UpdateLibraryRequest,
        response: Library,
        handler: ({ scope, params, body }) => service.libraries.update(scope, params.library_id, body),
      }),
    ),
    route({
      ...write,
      tags,
      method: 'DELETE',
      path: LIBRARY,
      operationId: 'libraries_delete_v1',
      summary: 'Delete a library with all its documents',
      params: LibraryParams,
      response: Library,
      handler: ({ scope, params }) => service.libraries.remove(scope, params.library_id),
    }),
    route({
      ...read,
      tags,
      method: 'POST',
      path: `${LIBRARY}/search`,
      operationId: 'libraries_search',
      summary: 'Search a library by words and meaning; each passage comes with its document, page and place',
      params: LibraryParams,
      body: SearchLibraryRequest,
      response: SearchLibraryResponse,
      alsoAnswers: [502, 504],
      handler: async (context) => ({
        data: await service.search.inLibraries(context, [context.params.library_id], context.body),
      }),
    }),
  ];
}

function ofDocuments(service: LibraryService): AnyRoute[] {
  const tags = ['beta.libraries.documents'];
  return [
    route({
      ...read,
      tags,
      method: 'GET',
      path: DOCUMENTS,
      operationId: 'libraries_documents_list_v1',
      summary: 'List the documents of a library',
      params: LibraryParams,
      query: DocumentsQuery,
      response: ListDocumentsResponse,
      handler: ({ scope, params, query }) => service.documents.list(scope, params.library_id, query),
    }),
    route({
      ...write,
      tags,
      method: 'POST',
      path: DOCUMENTS,
      operationId: 'libraries_documents_upload_v1',
      summary: 'Upload a document; 200 with the one that is there if the library has the same content',
      status: 201,
      alsoAnswers: [[200, Document]],
      creates: true,
      upload: {
        part: 'file',
        bytesMax: () => service.documents.bytesMax,
        stage: (content, bytesMax) => service.documents.stage(content, bytesMax),
      },
      params: LibraryParams,
      body: z.strictObject({}),
      response: Document,
      handler: async (context) => {
        const { scope, params, upload } = context;
        const { document, isNew } = await service.documents.upload(scope, params.library_id, upload);
        context.setStatus(isNew ? 201 : 200);
        return document;
      },
    }),
    route({
      ...write,
      tags,
      method: 'POST',
      path: `${LIBRARY}/web-documents`,
      operationId: 'libraries_web_documents_add',
      summary: 'Add a page of the web, or the pages of a site map',
      status: 201,
      alsoAnswers: [[200, Document]],
      creates: true,
      params: LibraryParams,
      body: AddWebDocuments,
      response: Document,
      handler: async (context) => {
        const { scope, params, body } = context;
        const { document, isNew } = await service.documents.addWeb(scope, params.library_id, body);
        context.setStatus(isNew ? 201 : 200);
        return document;
      },
    }),
  ];
}

function ofDocument(service: LibraryService): AnyRoute[] {
  const tags = ['beta.libraries.documents'];
  const one = { tags, params: DocumentParams };
  return [
    route({
      ...read,
      ...one,
      method: 'GET',
      path: DOCUMENT,
      operationId: 'libraries_documents_get_v1',
      summary: 'Read the metadata of a document',
      response: Document,
      handler: (context) => service.documents.get(context, context.params.library_id, context.params.document_id),
    }),
    ...(['PATCH', 'PUT'] as const).map((method) =>
      route({
        ...write,
        ...one,
        method,
        path: DOCUMENT,
        operationId: method === 'PATCH' ? 'libraries_documents_patch_v1' : 'libraries_documents_update_v1',
        summary: 'Change the name, the attributes or the expiry of a document',
        body: UpdateDocumentRequest,
        response: Document,
        handler: ({ scope, params, body }) =>
          service.documents.update(scope, params.library_id, params.document_id, body),
      }),
    ),
    route({
      ...write,
      ...one,
      method: 'DELETE',
      path: DOCUMENT,
      operationId: 'libraries_documents_delete_v1',
      summary: 'Delete a document',
      status: 204,
      handler: async ({ scope, params }) => service.documents.remove(scope, params.library_id, params.document_id),
    }),
    route({
      ...read,
      ...one,
      method: 'GET',
      path: `${DOCUMENT}/text_content`,
      operationId: 'libraries_documents_get_text_content_v1',
      summary: 'Read the text of a document, or of some of its pages',
      large: true,
      alsoAnswers: [409],
      query: TextContentQuery,
      response: DocumentTextContent,
      handler: ({ scope, signal, params, query }) =>
        service.documents.text({ scope, signal }, params.library_id, params.document_id, query),
    }),
    route({
      ...read,
      ...one,
      method: 'GET',
      path: `${DOCUMENT}/chunks`,
      operationId: 'libraries_documents_chunks',
      summary: 'List the passages of a document that a search can find, in reading order',
      large: true,
      alsoAnswers: [409],
      query: ChunksQuery,
      response: ListChunksResponse,
      handler: ({ scope, params, query }) =>
        service.documents.chunks(scope, params.library_id, params.document_id, query),
    }),
    route({
      ...read,
      ...one,
      method: 'GET',
      path: `${DOCUMENT}/status`,
      operationId: 'libraries_documents_get_status_v1',
      summary: 'Read how far a document is',
      response: ProcessingStatus,
      handler: (context) => service.documents.status(context, context.params.library_id, context.params.document_id),
    }),
    route({
      ...read,
      ...one,
      method: 'GET',
      path: `${DOCUMENT}/signed-url`,
      operationId: 'libraries_documents_get_signed_url_v1',
      summary: 'Create a link to the original that needs no key, for 30 minutes',
      alsoAnswers: [409],
      response: z.string(),
      handler: async ({ scope, params, origin }) =>
        json(await service.documents.signLink(scope, params.library_id, params.document_id, 'original', origin)),
    }),
    route({
      ...read,
      ...one,
      method: 'GET',
      path: `${DOCUMENT}/extracted-text-signed-url`,
      operationId: 'libraries_documents_get_extracted_text_signed_url_v1',
      summary: 'Create a link to the text that needs no key, for 30 minutes',
      alsoAnswers: [409],
      response: z.string(),
      handler: async ({ scope, params, origin }) =>
        json(await service.documents.signLink(scope, params.library_id, params.document_id, 'text', origin)),
    }),
    route({
      ...write,
      ...one,
      method: 'POST',
      path: `${DOCUMENT}/reprocess`,
      operationId: 'libraries_documents_reprocess_v1',
      summary: 'Read a document again',
      status: 204,
      handler: async ({ scope, params }) => service.documents.reprocess(scope, params.library_id, params.document_id),
    }),
    route({
      ...one,
      permission: 'public',
      method: 'GET',
      path: `${DOCUMENT}/download`,
      operationId: 'libraries_documents_download_signed',
      summary: 'Download the original or the text of a document by a signed link',
      query: SignedDocumentQuery,
      downloads: OCTETS,
      handler: async ({ params, query }) =>
        download(await service.documents.openSigned(params.library_id, params.document_id, query)),
    }),
  ];
}

function ofShares(service: LibraryService): AnyRoute[] {
  const one = { tags: ['beta.libraries.accesses'], path: `${LIBRARY}/share`, params: LibraryParams };
  return [
    route({
      ...read,
      ...one,
      method: 'GET',
      operationId: 'libraries_share_list_v1',
      summary: 'List with whom a library is shared',
      response: ListSharingResponse,
      handler: ({ scope, params }) => service.shares.list(scope, params.library_id),
    }),
    route({
      ...write,
      ...one,
      method: 'PUT',
      operationId: 'libraries_share_create_v1',
      summary: 'Share a library, or change the level of one who has it',
      body: SharingRequest,
      response: Sharing,
      handler: ({ scope, params, body }) => service.shares.set(scope, params.library_id, body),
    }),
    route({
      ...write,
      ...one,
      method: 'DELETE',
      operationId: 'libraries_share_delete_v1',
      summary: 'Share a library with somebody no longer',
      body: SharingDelete,
      response: Sharing,
      handler: ({ scope, params, body }) => service.shares.remove(scope, params.library_id, body),
    }),
  ];
}

function ofSources(service: LibraryService): AnyRoute[] {
  const tags = ['beta.libraries'];
  const path = `${LIBRARY}/sources`;
  return [
    route({
      ...read,
      tags,
      method: 'GET',
      path,
      operationId: 'libraries_sources_list',
      summary: 'List what a library is kept in step with, and how the last run went',
      params: LibraryParams,
      response: LibrarySources,
      handler: ({ scope, params }) => service.sources.list(scope, params.library_id),
    }),
    route({
      ...write,
      tags,
      method: 'POST',
      path,
      operationId: 'libraries_sources_create',
      summary: 'Keep a library in step with a folder, a git repository or a site',
      status: 201,
      creates: true,
      params: LibraryParams,
      body: CreateLibrarySource,
      response: LibrarySource,
      handler: ({ scope, params, body }) => service.sources.create(scope, params.library_id, body),
    }),
    route({
      ...write,
      tags,
      method: 'POST',
      path: `${path}/:source_id/run`,
      operationId: 'libraries_sources_run',
      summary: 'Bring a library in step with a source now',
      status: 202,
      params: SourceParams,
      response: LibrarySource,
      handler: ({ scope, params }) => service.sources.run(scope, params.library_id, params.source_id),
    }),
    route({
      ...write,
      tags,
      method: 'DELETE',
      path: `${path}/:source_id`,
      operationId: 'libraries_sources_delete',
      summary: 'Delete a source; its documents stay unless they are to be deleted too',
      status: 204,
      params: SourceParams,
      query: DeleteSourceQuery,
      handler: async ({ scope, params, query }) =>
        service.sources.remove(scope, params.library_id, params.source_id, query.documents),
    }),
  ];
}

/** A string alone would be sent as plain text. */
const json = (value: string) => raw(JSON.stringify(value), 'application/json; charset=utf-8');

// A browser only saves the content: it neither guesses its type nor runs it on our origin.
function download({ name, bytes, stream }: OpenDocument) {
  return raw(stream(), OCTETS, {
    ...(bytes === undefined ? {} : { 'content-length': String(bytes) }),
    'content-disposition': attachment(name),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, no-store',
  });
}

function attachment(name: string): string {
  const filename = name.split('/').at(-1) ?? name;
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

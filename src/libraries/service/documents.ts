import { setTimeout as delay } from 'node:timers/promises';
import { isoMicros } from '../../kit/base/clock.ts';
import { type Blobs, deletedContent, type OpenBlob, type StagedBlob } from '../../kit/blobs/index.ts';
import { findCandidates, type Tx } from '../../kit/db/index.ts';
import type { RequestContext, Scope, Upload } from '../../kit/http/index.ts';
import { holderOf } from '../../tenants/index.ts';
import { libraryErrors } from '../errors.ts';
import { findAccess } from '../find-access.ts';
import { newDocument } from '../new-document.ts';
import type { DocumentIndex } from '../ports.ts';
import { readTask } from '../process/document-task.ts';
import { recordChange } from '../record-change.ts';
import { removeDocuments } from '../remove-documents.ts';
import type {
  AddWebDocuments,
  ChunksQuery,
  Document,
  DocumentsQuery,
  DocumentTextContent,
  ListChunksResponse,
  ListDocumentsResponse,
  ProcessingStatus,
  ProcessStatus,
  SignedDocumentQuery,
  TextContentQuery,
  UpdateDocumentRequest,
} from '../schema.ts';
import { isSignedLink, signLink } from '../sign-link.ts';
import {
  countDocuments,
  findDocument,
  findDocumentByContent,
  findDocumentById,
  findDocumentByUrl,
  insertDocument,
  listDocuments,
  listPages,
  type Place,
  searchedDocuments,
  updateDocument,
} from '../store/documents.ts';
import { lockLibrary, updateLibrary } from '../store/libraries.ts';
import type { DocumentRow, LibraryRow } from '../store/tables.ts';
import { paginationOf } from './libraries.ts';
import type { ServicePorts } from './ports.ts';

/** How long a signed link holds. */
const READ_WAIT_MS = 15_000;
const READ_POLL_MS = 200;
const LINK_SECONDS = 30 * 60;
/** Pages of a text that are in memory at a time. */
const PAGES_AT_ONCE = 50;
const LAST_PAGE = 1_000_000_000;
/** Of a site that is read again. */
const SITE_PAGES_MAX = 1000;

type Answer = Pick<RequestContext, 'scope' | 'setHeader'>;
export type OpenDocument = { name: string; bytes: number | undefined; stream(): AsyncIterable<Uint8Array> };

export type DocumentsPart = {
  bytesMax: number;
  stage(content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<StagedBlob>;
  /** `isNew` is false when the library has a document of this content. */
  upload(scope: Scope, libraryId: string, upload: Upload): Promise<{ document: Document; isNew: boolean }>;
  addWeb(scope: Scope, libraryId: string, request: AddWebDocuments): Promise<{ document: Document; isNew: boolean }>;
  list(scope: Scope, libraryId: string, query: DocumentsQuery): Promise<ListDocumentsResponse>;
  /** Why a document failed, and how far it is, are in headers. */
  get(answer: Answer, libraryId: string, id: string): Promise<Document>;
  status(answer: Answer, libraryId: string, id: string): Promise<ProcessingStatus>;
  update(scope: Scope, libraryId: string, id: string, request: UpdateDocumentRequest): Promise<Document>;
  /** Waits a moment for a document that is being read. */
  text(call: Waiting, libraryId: string, id: string, query: TextContentQuery): Promise<DocumentTextContent>;
  chunks(scope: Scope, libraryId: string, id: string, query: ChunksQuery): Promise<ListChunksResponse>;
  signLink(
    scope: Scope,
    libraryId: string,
    id: string,
    content: SignedDocumentQuery['content'],
    origin: string,
  ): Promise<string>;
  openSigned(libraryId: string, id: string, query: SignedDocumentQuery): Promise<OpenDocument>;
  reprocess(scope: Scope, libraryId: string, id: string): Promise<undefined>;
  remove(scope: Scope, libraryId: string, id: string): Promise<undefined>;
};

/** With a signal it may take a while, and ends when the client is gone. */
type Waiting = Pick<RequestContext, 'scope'> & Partial<Pick<RequestContext, 'signal'>>;

export type DocumentPorts = ServicePorts & {
  blobs: Blobs;
  index: DocumentIndex;
  bytesMax: number;
  publicUrl: string | undefined;
};

export function createDocumentsPart(ports: DocumentPorts): DocumentsPart {
  const { database, audit, tasks, blobs, index, now, bytesMax, publicUrl } = ports;
  const { db } = database;

  async function find(scope: Scope, libraryId: string, id: string, role: 'Viewer' | 'Editor') {
    const library = await findAccess(db, scope, libraryId, role);
    const document = await findDocument(db, placeOf(library), id, isoMicros(now));
    if (!document) throw libraryErrors.document_not_found(id);
    return { library, document };
  }

  /** Clients ask for the text right after an upload, and most documents are read within seconds. */
  async function findRead({ scope, signal }: Waiting, libraryId: string, id: string): Promise<DocumentRow> {
    for (const endsAt = performance.now() + READ_WAIT_MS; ; ) {
      const { document } = await find(scope, libraryId, id, 'Viewer');
      const isBeingRead = document.process_status === 'todo' || document.process_status === 'in_progress';
      if (!isBeingRead || !signal || performance.now() > endsAt) {
        refuseUnread(document);
        return document;
      }
      await delay(READ_POLL_MS, undefined, { signal });
    }
  }

  /** Inserts the document with the task that reads it, or finds the one that is there. */
  async function add(
    scope: Scope,
    library: LibraryRow,
    row: DocumentRow,
    findExisting: (tx: Tx) => Promise<DocumentRow | undefined>,
    site?: number,
  ): Promise<{ document: Document; isNew: boolean }> {
    const existing = await database.transaction(async (tx) => {
      if (!(await lockLibrary(tx, database.kind, placeOf(library)))) throw libraryErrors.library_not_found(library.id);
      const known = await findExisting(tx);
      if (known && !isExpired(known)) return known;
      if (known) await deleteRows(tx, library, [known.id]);
      if (!(await insertDocument(tx, row))) return findExisting(tx);
      await updateLibrary(tx, library.workspace_id, library.id, { updated_at: row.created_at });
      await tasks.enqueue(tx, readTask(row, holderOf(scope), scope, site));
      await recordChange(audit, tx, scope, 'library.document.create', { library, document: row });
      return undefined;
    });
    return existing ? { document: toDocument(existing), isNew: false } : { document: toDocument(row), isNew: true };
  }

  const isExpired = ({ expires_at }: DocumentRow) => expires_at !== null && expires_at <= isoMicros(now);

  const deleteRows = (tx: Tx, library: Pick<LibraryRow, 'id' | 'workspace_id'>, ids: string[]) =>
    removeDocuments(ports, tx, placeOf(library), ids);

  async function describe({ setHeader }: Answer, document: DocumentRow): Promise<void> {
    const { error_code, error_message, progress, process_status } = document;
    if (error_code) setHeader('tramontane-error', `${error_code}: ${encodeHeader(error_message ?? '')}`);
    if (progress) setHeader('tramontane-progress', encodeHeader(progress));
    if (process_status !== 'done') return;
    const collection = { workspaceId: document.workspace_id, collectionId: document.library_id };
    const indexed = (await index.progress({ ...collection, documentIds: [document.id] })).get(document.id);
    if (indexed) setHeader('tramontane-progress', `${indexed.embedded} of ${indexed.chunks} passages embedded`);
  }

  return {
    bytesMax,
    stage: (content, limit) => blobs.stage(content, { bytesMax: limit }),
    async upload(scope, libraryId, { filename, mimetype, content }) {
      const library = await findAccess(db, scope, libraryId, 'Editor');
      const { sha256, bytes } = content;
      const row = newDocument(
        library,
        { name: filename, mimetype, content: { sha256, bytes }, userId: scope.user_id },
        now(),
      );
      // The content first, so that a row always has its content.
      await content.publish();
      return add(scope, library, row, (tx) => findDocumentByContent(tx, placeOf(library), sha256));
    },
    async addWeb(scope, libraryId, { url, scope: extent, pages_max }) {
      const library = await findAccess(db, scope, libraryId, 'Editor');
      const { href, hostname, pathname } = new URL(url);
      const name = `${hostname}${pathname === '/' ? '' : pathname}`;
      const row = newDocument(
        library,
        { name, mimetype: null, content: undefined, url: href, userId: scope.user_id },
        now(),
      );
      const findExisting = (tx: Tx) => findDocumentByUrl(tx, placeOf(library), href);
      return add(scope, library, row, findExisting, extent === 'site' ? pages_max : undefined);
    },
    async list(scope, libraryId, query) {
      const library = await findAccess(db, scope, libraryId, 'Viewer');
      const search = query.search?.toLowerCase() || undefined;
      const among = await findCandidates(database, searchedDocuments(placeOf(library)), search);
      const filter = { search, among, attributes: parseFilter(query.filters_attributes) };
      const at = isoMicros(now);
      const rows = await listDocuments(database, placeOf(library), filter, query, at);
      const total = await countDocuments(database, placeOf(library), filter, (query.page + 1) * query.page_size, at);
      return { pagination: paginationOf(total, query.page, query.page_size), data: rows.map(toDocument) };
    },
    async get(answer, libraryId, id) {
      const { document } = await find(answer.scope, libraryId, id, 'Viewer');
      await describe(answer, document);
      return toDocument(document);
    },
    async status(answer, libraryId, id) {
      const { document } = await find(answer.scope, libraryId, id, 'Viewer');
      await describe(answer, document);
      const { process_status } = document;
      return { document_id: document.id, process_status, processing_status: OLD_STATUS[process_status] };
    },
    async update(scope, libraryId, id, { name, attributes, expires_at }) {
      const { library, document } = await find(scope, libraryId, id, 'Editor');
      const change = {
        ...(name === undefined ? {} : { name, name_folded: name.toLowerCase() }),
        ...(attributes === undefined ? {} : { attributes }),
        ...(expires_at === undefined ? {} : { expires_at: expires_at && new Date(expires_at).toISOString() }),
      };
      const updated = await database.transaction(async (tx) => {
        const row = Object.keys(change).length > 0 ? await updateDocument(tx, placeOf(library), id, change) : document;
        if (row) await recordChange(audit, tx, scope, 'library.document.update', { library, document: row });
        return row;
      });
      if (!updated) throw libraryErrors.document_not_found(id);
      if (updated.process_status === 'done')
        await index.setAttributes({
          workspaceId: library.workspace_id,
          collectionId: library.id,
          documentId: id,
          title: updated.name,
          attributes: updated.attributes ?? {},
        });
      return toDocument(updated);
    },
    async text(call, libraryId, id, { page_start, page_end, left_out }) {
      const document = await findRead(call, libraryId, id);
      const range = { first: page_start ?? 0, last: page_end ?? LAST_PAGE, limit: LAST_PAGE };
      const pages = await listPages(db, document.id, range);
      const text = pages.map((page) => page.text).join('\n\n');
      return left_out ? { text, left_out: leftOutOf(pages) } : { text };
    },
    async chunks(scope, libraryId, id, { page, after, limit }) {
      const { document } = await find(scope, libraryId, id, 'Viewer');
      refuseUnread(document);
      const place = { workspaceId: document.workspace_id, collectionId: document.library_id, documentId: document.id };
      const found = await index.listChunks({ ...place, page, after, limit: limit + 1 });
      return { data: found.slice(0, limit), has_more: found.length > limit };
    },
    async signLink(scope, libraryId, id, content, origin) {
      const { document } = await find(scope, libraryId, id, 'Viewer');
      if (content === 'text') refuseUnread(document);
      else if (document.sha256 === null) throw libraryErrors.document_not_read('The address has not been fetched yet.');
      const query = signLink(document.url_secret, document.id, content, Math.floor(now() / 1000) + LINK_SECONDS);
      return `${publicUrl ?? origin}/v1/libraries/${document.library_id}/documents/${document.id}/download?${query}`;
    },
    async openSigned(libraryId, id, query) {
      const document = await findDocumentById(db, id);
      const isHere = document?.library_id === libraryId && !isExpired(document);
      // One error for every case, so that it does not reveal which documents exist.
      if (!isSignedLink(isHere ? document.url_secret : undefined, id, query, now()) || !document)
        throw libraryErrors.document_link_invalid();
      if (query.content === 'text')
        return { name: `${document.name}.md`, bytes: undefined, stream: () => streamText(document.id) };
      const content: OpenBlob | undefined = document.sha256 ? await blobs.open(document.sha256) : undefined;
      if (!content) throw libraryErrors.document_content_missing();
      return { name: document.name, bytes: content.bytes, stream: () => content.stream() };
    },
    async reprocess(scope, libraryId, id): Promise<undefined> {
      const { library, document } = await find(scope, libraryId, id, 'Editor');
      await database.transaction(async (tx) => {
        // The content of an address is fetched again.
        const again = document.url === null ? {} : { sha256: null, bytes: null };
        await updateDocument(tx, placeOf(library), id, {
          process_status: 'todo',
          error_code: null,
          error_message: null,
          ...again,
        });
        const isSite = document.url !== null && document.process_status === 'noop';
        await tasks.enqueueByHand(tx, readTask(document, holderOf(scope), scope, isSite ? SITE_PAGES_MAX : undefined));
        if (document.url !== null && document.sha256)
          await tasks.enqueue(tx, deletedContent('libraries', [document.sha256], now()));
        await recordChange(audit, tx, scope, 'library.document.reprocess', { library, document });
      });
    },
    async remove(scope, libraryId, id): Promise<undefined> {
      const { library, document } = await find(scope, libraryId, id, 'Editor');
      const isDeleted = await database.transaction(async (tx) => {
        const deleted = await deleteRows(tx, library, [id]);
        if (deleted === 0) return false;
        await updateLibrary(tx, library.workspace_id, library.id, { updated_at: isoMicros(now) });
        await recordChange(audit, tx, scope, 'library.document.delete', { library, document });
        return true;
      });
      if (!isDeleted) throw libraryErrors.document_not_found(id);
    },
  };

  async function* streamText(id: string): AsyncGenerator<Uint8Array> {
    for (let first = 0; ; ) {
      const pages = await listPages(db, id, { first, last: LAST_PAGE, limit: PAGES_AT_ONCE });
      for (const { text } of pages) yield Buffer.from(`${text}\n\n`);
      if (pages.length < PAGES_AT_ONCE) return;
      first = (pages.at(-1)?.page ?? 0) + 1;
    }
  }
}

const placeOf = ({ id, workspace_id }: Pick<LibraryRow, 'id' | 'workspace_id'>): Place => ({
  workspaceId: workspace_id,
  libraryId: id,
});

/** What older clients poll: they wait while it is Running. */
const OLD_STATUS: Readonly<Record<ProcessStatus, string>> = {
  todo: 'Running',
  in_progress: 'Running',
  waiting_for_capacity: 'Running',
  done: 'Completed',
  noop: 'Completed',
  self_managed: 'Completed',
  error: 'Failed',
  missing_content: 'Failed',
};

function leftOutOf(pages: Awaited<ReturnType<typeof listPages>>): DocumentTextContent['left_out'] {
  if (pages.some(({ left_out }) => left_out === null)) return null;
  return pages.flatMap(({ page, left_out }) => (left_out ?? []).map((text) => ({ page, text })));
}

function refuseUnread({ process_status, error_message }: DocumentRow): void {
  if (process_status === 'done' || process_status === 'noop') return;
  throw libraryErrors.document_not_read(
    error_message === null ? 'The document is still being read.' : `The document could not be read. ${error_message}`,
  );
}

/** Headers are ASCII; messages may quote names. */
function encodeHeader(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500);
}

function parseFilter(text: string | null | undefined): Record<string, unknown> {
  if (!text) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw libraryErrors.attribute_filter_invalid(
    ['query', 'filters_attributes'],
    'Value error, it is no JSON object',
    text,
    {
      error: {},
    },
  );
}

function toDocument(row: DocumentRow): Document {
  const { tokens_main, tokens_summary } = row;
  return {
    id: row.id,
    library_id: row.library_id,
    hash: row.sha256,
    mime_type: row.mime_type,
    extension: row.extension,
    size: row.bytes,
    name: row.name,
    summary: row.summary,
    created_at: row.created_at,
    last_processed_at: row.last_processed_at,
    number_of_pages: row.number_of_pages,
    process_status: row.process_status,
    uploaded_by_id: row.uploaded_by_id,
    uploaded_by_type: 'User',
    tokens_processing_main_content: tokens_main,
    tokens_processing_summary: tokens_summary,
    url: row.url,
    attributes: row.attributes,
    expires_at: row.expires_at,
    processing_status: OLD_STATUS[row.process_status],
    tokens_processing_total: (tokens_main ?? 0) + (tokens_summary ?? 0),
  };
}

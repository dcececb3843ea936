import { isDeepStrictEqual } from 'node:util';
import type { ReadEngine, ReadResult } from '../../engines/read/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { hexId } from '../../kit/base/ids.ts';
import type { Logger } from '../../kit/base/log.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import { type Blobs, deletedContent } from '../../kit/blobs/index.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Announce } from '../../kit/events/index.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import {
  createTaskRunner,
  DIED_WITH_IT,
  type QuarantinedTask,
  type RunningTask,
  type TaskRunner,
  type Tasks,
} from '../../kit/tasks/index.ts';
import type { Call } from '../../metering/index.ts';
import { type Authority, holderOf } from '../../tenants/index.ts';
import { libraryErrors } from '../errors.ts';
import { findAccess } from '../find-access.ts';
import { newDocument } from '../new-document.ts';
import type { DocumentIndex, ReadingPorts } from '../ports.ts';
import {
  findDocumentByContent,
  findDocumentById,
  findDocumentByUrl,
  insertDocument,
  type Place,
  replacePages,
  updateDocument,
} from '../store/documents.ts';
import type { DocumentRow, LibraryRow } from '../store/tables.ts';
import { type DocumentTask, LIBRARY_QUEUE, readTask } from './document-task.ts';
import { fetchPages, type WebPorts } from './fetch-pages.ts';
import { readSource } from './read-source.ts';
import { writeSummary } from './write-summary.ts';

/** On all servers together; the documents of other organizations go first. */
const TURNS = { perTenantMax: 4, perKeyMax: 2 };
/** How long the document of a dead process waits for another one. */
const LEASE_MS = 10_000;
/** Of a document that fails for reasons of our own. */
const ATTEMPTS_MAX = 3;
/** Of one whose server died each time: mostly for another reason, because documents are read in processes of their own. */
const DEATHS_MAX = 12;
/** After so many in a row it waits, longer each time, so that a server that dies of it, or just dies often, gets on with others. */
const DEATHS_AT_ONCE = 3;
const DEATHS_WAIT_MS = 30_000;
const CAPACITY_WAIT_MS = 15_000;
const CAPACITY_TRIES_MAX = 500;
/** A full disk is given ten minutes. */
const STORAGE_WAIT_MS = 60_000;
const STORAGE_TRIES_MAX = 10;
/** What took too long is tried once more: perhaps the machine was busy, and not the document to blame. */
const SLOW_WAIT_MS = 60_000;
const CHARACTERS_PER_TOKEN = 4;
/** Archives around an archive that is opened. */
const DEPTH_MAX = 2;

/** The document was deleted meanwhile. */
class Gone extends Error {}

export type RunnerPorts = ReadingPorts & {
  database: Database;
  tasks: Tasks;
  blobs: Blobs;
  index: DocumentIndex;
  reader: ReadEngine;
  web: WebPorts;
  authority: Pick<Authority, 'scopeOf'>;
  announce?: Announce | undefined;
  /** Runs work that stores bytes within the limits of the caller. */
  withinStorage<T>(scope: Scope, bytes: number, work: () => Promise<T>): Promise<T>;
  concurrency: number;
  chunkCharacters: number;
  bytesMax: number;
  now: Clock;
  log: Logger;
};

const placeOf = ({ workspace_id, library_id }: Pick<DocumentRow, 'workspace_id' | 'library_id'>): Place => ({
  workspaceId: workspace_id,
  libraryId: library_id,
});
const indexPlaceOf = ({ workspace_id, library_id, id }: Pick<DocumentRow, 'workspace_id' | 'library_id' | 'id'>) => ({
  workspaceId: workspace_id,
  collectionId: library_id,
  documentId: id,
});

/** Reads documents as tasks: each once, whatever dies meanwhile, with what its uploader may do at that time. */
export function createDocumentRunner(ports: RunnerPorts): TaskRunner {
  const { database, tasks, blobs, index, reader, authority, now, log } = ports;
  const { db, kind } = database;

  async function run(task: RunningTask, signal: AbortSignal): Promise<void> {
    const payload = task.payload as DocumentTask;
    const { document_id: id, library_id, workspace_id } = payload;
    const document = await findDocumentById(db, id);
    if (!document) return void (await index.removeDocument(indexPlaceOf({ id, library_id, workspace_id })));
    try {
      const deaths = (payload.deaths ?? 0) + task.attempt - 1;
      if (deaths >= DEATHS_MAX)
        return await fail(task, document, 'document_damaged', 'The server stopped each time it read the document.');
      if (task.attempt > DEATHS_AT_ONCE)
        return await postpone(task, document, { ...payload, deaths }, (DEATHS_WAIT_MS * deaths) / DEATHS_AT_ONCE);
      const scope = { ...(await authority.scopeOf(payload.caller, 'libraries:write')), isBackground: true };
      const library = await findAccess(db, scope, library_id, 'Editor');
      const call: Call = { scope, signal, requestId: `library-${hexId()}`, setHeader: () => undefined };
      await updateDocument(db, placeOf(document), id, { process_status: 'in_progress', progress: null });
      await process(task, call, library, await withContent(call, library, document, payload));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Gone) return void (await index.removeDocument(indexPlaceOf(document)));
      await settle(task, document, payload, error);
    }
  }

  /** The content of an address is fetched first; a site becomes documents of its own. */
  async function withContent(call: Call, library: LibraryRow, document: DocumentRow, payload: DocumentTask) {
    if (document.sha256 !== null || document.url === null) return document;
    const fetched = await fetchPages(ports.web, document.url, payload.site, call.signal);
    if ('pages' in fetched) {
      for (const url of fetched.pages)
        await addDocument(call.scope, library, {
          name: nameOf(url),
          mimetype: null,
          content: undefined,
          url,
          parent: document,
        });
      return document;
    }
    return ports.withinStorage(call.scope, fetched.bytes.length, async () => {
      const content = await blobs.put(once(fetched.bytes));
      const same = await findDocumentByContent(db, placeOf(document), content.sha256);
      if (same && same.id !== document.id)
        throw libraryErrors.web_page_unreadable(`The page has the same content as the document '${same.name}'.`);
      const change = { sha256: content.sha256, bytes: content.bytes, mime_type: fetched.mimetype };
      const updated = await updateDocument(db, placeOf(document), document.id, change);
      if (!updated) throw new Gone();
      return updated;
    });
  }

  async function process(task: RunningTask, call: Call, library: LibraryRow, document: DocumentRow): Promise<void> {
    index.warmUp(library.workspace_id);
    const read = await readContent(call, library, document);
    const summary = read.isContainer ? { text: null, tokens: 0 } : await writeSummary(ports.summarize, call, read);
    const indexed = {
      organizationId: library.organization_id,
      ...indexPlaceOf(document),
      title: read.title ?? document.name,
      language: read.language,
      attributes: document.attributes ?? {},
      chunks: read.chunks,
      holder: holderOf(call.scope),
    };
    await (read.chunks.length > 0 ? index.put(indexed) : index.removeDocument(indexPlaceOf(document)));
    await database.transaction(async (tx) => {
      await task.complete(tx);
      await finish(tx, document, read, summary);
      await announceEnd(tx, task, document, read.isContainer ? 'noop' : 'done');
    });
    if (read.chunks.length > 0) await indexChanges(document, indexed.title);
  }

  /** A name or attributes that were set while the document was read are indexed now; later ones by whoever sets them. */
  async function indexChanges(indexed: DocumentRow, indexedTitle: string): Promise<void> {
    let last = indexed;
    for (;;) {
      const current = await findDocumentById(db, indexed.id);
      const isSame = current?.name === last.name && isDeepStrictEqual(current.attributes, last.attributes);
      if (!current || isSame) return;
      const title = current.name === indexed.name ? indexedTitle : current.name;
      await index.setAttributes({ ...indexPlaceOf(current), title, attributes: current.attributes ?? {} });
      last = current;
    }
  }

  async function readContent(call: Call, library: LibraryRow, document: DocumentRow): Promise<ReadResult> {
    if (document.sha256 === null) return { title: null, language: null, pages: [], chunks: [], isContainer: true };
    const content = await blobs.open(document.sha256);
    if (!content) throw libraryErrors.document_content_missing();
    const chunkCharacters = library.chunk_size ?? ports.chunkCharacters;
    return readSource(
      { ...ports, reader },
      call,
      { document, content, chunkCharacters },
      {
        async onEntry({ name, content: bytes }) {
          if (document.depth >= DEPTH_MAX) throw libraryErrors.archive_too_deep();
          if (bytes.length > ports.bytesMax) return;
          await ports.withinStorage(call.scope, bytes.length, async () => {
            const stored = await blobs.put(once(bytes));
            await addDocument(call.scope, library, { name, mimetype: null, content: stored, parent: document });
          });
        },
        async onProgress(progress) {
          if (!(await updateDocument(db, placeOf(document), document.id, { progress }))) throw new Gone();
        },
      },
    );
  }

  /** What the library has already is not added again: a task that is repeated makes nothing twice. */
  async function addDocument(
    scope: Scope,
    library: LibraryRow,
    document: Omit<Parameters<typeof newDocument>[1], 'userId'>,
  ) {
    const row = newDocument(library, { ...document, userId: scope.user_id }, now());
    await database.transaction(async (tx) => {
      if (row.url !== null && (await findDocumentByUrl(tx, placeOf(row), row.url))) return;
      if (!(await insertDocument(tx, row))) return;
      await tasks.enqueue(tx, readTask(row, holderOf(scope), scope));
    });
  }

  async function finish(
    tx: Tx,
    document: DocumentRow,
    read: ReadResult,
    summary: { text: string | null; tokens: number },
  ) {
    const characters = read.pages.reduce((sum, { text }) => sum + text.length, 0);
    const updated = await updateDocument(tx, placeOf(document), document.id, {
      process_status: read.isContainer ? 'noop' : 'done',
      error_code: null,
      error_message: null,
      progress: null,
      summary: summary.text,
      number_of_pages: read.isContainer ? null : read.pages.length,
      tokens_main: Math.ceil(characters / CHARACTERS_PER_TOKEN),
      tokens_summary: summary.tokens,
      last_processed_at: isoMicros(now),
    });
    if (!updated) throw new Gone();
    await replacePages(tx, kind, document.id, read.pages);
  }

  async function settle(
    task: RunningTask,
    document: DocumentRow,
    payload: DocumentTask,
    error: unknown,
  ): Promise<void> {
    if (
      error instanceof ApiError &&
      (error.status === 429 || error.status === 503) &&
      payload.tries < CAPACITY_TRIES_MAX
    )
      return postpone(task, document, { ...payload, tries: payload.tries + 1 }, waitOf(error));
    if (error instanceof ApiError && error.code === 'document_too_slow' && !payload.was_slow)
      return postpone(task, document, { ...payload, was_slow: true }, SLOW_WAIT_MS);
    if (storageProblemOf(error)) return settleUnstored(task, document, payload, error);
    if (error instanceof ApiError && error.status < 500)
      return fail(task, document, error.code ?? 'document_damaged', error.message);
    if (error instanceof ApiError && error.code === 'document_content_missing')
      return fail(task, document, error.code, error.message, 'missing_content');
    if (task.attempt < ATTEMPTS_MAX) throw error;
    log.error({ err: error, document: document.id }, 'a document was given up');
    await fail(task, document, 'document_damaged', 'The document could not be read. Report its id to the operator.');
  }

  /** If even this cannot be stored, the queue tries again. */
  async function settleUnstored(
    task: RunningTask,
    document: DocumentRow,
    payload: DocumentTask,
    error: unknown,
  ): Promise<void> {
    const { unstored = 0 } = payload;
    log.warn({ err: error, document: document.id }, 'what was read of a document could not be stored');
    if (unstored < STORAGE_TRIES_MAX)
      return postpone(task, document, { ...payload, unstored: unstored + 1 }, STORAGE_WAIT_MS);
    const { code, message } = libraryErrors.document_not_stored();
    await fail(task, document, code ?? 'document_not_stored', message);
  }

  async function postpone(
    task: RunningTask,
    document: DocumentRow,
    payload: DocumentTask,
    waitMs: number,
  ): Promise<void> {
    await database.transaction(async (tx) => {
      await task.complete(tx);
      const waits = await updateDocument(tx, placeOf(document), document.id, {
        process_status: 'waiting_for_capacity',
      });
      const tenant = task.tenant === null ? {} : { tenant: { organization: task.tenant, key: task.tenant_key ?? '' } };
      if (waits)
        await tasks.enqueue(tx, {
          ...readTask(document, payload.caller),
          ...tenant,
          payload,
          runAtMs: now() + waitMs,
        });
    });
  }

  async function announceEnd(tx: Tx, { tenant }: RunningTask, document: DocumentRow, status: string): Promise<void> {
    const { id: document_id, library_id, workspace_id } = document;
    const data = { library_id, document_id, status };
    await ports.announce?.(tx, { type: 'document.processed', organization_id: tenant ?? '', workspace_id, data });
  }

  /** A document that failed is found nowhere, also not as it was before. */
  async function fail(
    task: RunningTask,
    document: DocumentRow,
    error_code: string,
    error_message: string,
    process_status: 'error' | 'missing_content' = 'error',
  ): Promise<void> {
    await index.removeDocument(indexPlaceOf(document));
    await database.transaction(async (tx) => {
      await task.complete(tx);
      const last_processed_at = isoMicros(now);
      const change = { process_status, error_code, error_message, progress: null, summary: null, last_processed_at };
      const none = { number_of_pages: null, tokens_main: null, tokens_summary: null };
      const failed = await updateDocument(tx, placeOf(document), document.id, { ...change, ...none });
      await replacePages(tx, kind, document.id, []);
      if (failed) await announceEnd(tx, task, document, process_status);
      if (!failed && document.sha256) await tasks.enqueue(tx, deletedContent('libraries', [document.sha256], now()));
    });
  }

  async function onQuarantine(tx: Tx, { payload }: QuarantinedTask): Promise<void> {
    const { document_id, library_id, workspace_id } = payload as DocumentTask;
    const change = { process_status: 'error', error_code: 'document_damaged', error_message: DIED_WITH_IT } as const;
    await updateDocument(tx, placeOf({ workspace_id, library_id }), document_id, { ...change, progress: null });
  }

  return createTaskRunner({
    database,
    now,
    log,
    queues: {
      [LIBRARY_QUEUE]: {
        onQuarantine,
        handler: (task, { signal }) => run(task, signal),
        concurrency: ports.concurrency,
        turns: TURNS,
        leaseMs: LEASE_MS,
      },
    },
  });
}

/** What a busy engine asks for, within reason. */
function waitOf({ headers }: ApiError): number {
  const askedMs = Number(headers['retry-after']) * 1000;
  return askedMs > 0 ? Math.min(askedMs, CAPACITY_WAIT_MS) : CAPACITY_WAIT_MS;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function nameOf(address: string): string {
  const { hostname, pathname } = new URL(address);
  return `${hostname}${pathname === '/' ? '' : pathname}`;
}

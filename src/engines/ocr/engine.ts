import { hexId } from '../../kit/base/ids.ts';
import { codeFile } from '../../kit/base/locations.ts';
import type { Logger } from '../../kit/base/log.ts';
import { type FairQueueOptions, OWN_WORK, type Tenant } from '../../kit/fair-queue/index.ts';
import { type ApiError, requestErrors } from '../../kit/http/index.ts';
import type { Engine } from '../engine.ts';
import { engineErrors, refuseChat, refuseTurn, toApiError } from '../errors.ts';
import { createChildPool } from '../process/child-pool.ts';
import { NATIVE_LIBRARIES } from '../process/environment.ts';
import { Refusal } from '../process/protocol.ts';
import { type Child, ChildExited, RequestFailed } from '../process/start-child.ts';
import type { OcrEngine, OcrPage, OcrRequest, PageRange } from './ocr-engine.ts';
import type { OcrPart, OcrSettings, SliceRequest } from './protocol.ts';
import type { Counters } from './render/compose-page.ts';

const IDLE_MS = 5 * 60_000;
/** Documents that wait are in memory. */
const WAITING_MAX = 64;
/** After this time a document lets others read; at least a page is read in each turn. */
const SLICE_MS = 500;
/** How long a page may go on after its client left. */
const GRACE_MS = 500;
// As text a response must stay shorter than what the server can write at once.
const RESPONSE_CHARACTERS_MAX = 128 * 1024 * 1024;

export type OcrEngineOptions = OcrSettings &
  Pick<FairQueueOptions, 'perTenantMax' | 'watch'> & {
    /** Of one process. */
    memoryMib: number;
    /** Time for one page. */
    pageMs: number;
    /** Time for all pages of a document, without the time that it waits. */
    documentMs: number;
    /** Documents that are read at the same time. */
    concurrency: number;
    log: Logger;
    environment?: Record<string, string | undefined>;
    idleMs?: number;
    waitingMax?: number;
    sliceMs?: number;
  };

/** How far a document is read. */
type Progress = {
  id: string;
  pages: OcrPage[];
  pageCount: number;
  /** The pages that are still to be read; undefined until the document was opened. */
  left: PageRange[] | undefined;
  counters: Counters;
  characters: number;
  spentMs: number;
};

type Reader = Child<SliceRequest, OcrPart>;

/** PDFium and Tesseract in child processes, each with one document at a time. Documents take turns after a page. */
export function createOcrEngine(options: OcrEngineOptions): Engine & { pids(): number[] } {
  const { languageFiles, pagesMax, pixelsMax, pdfMemoryMib, memoryMib, pageMs, documentMs, log } = options;
  const pool = createChildPool<OcrSettings, SliceRequest, OcrPart>({
    concurrency: options.concurrency,
    perTenantMax: options.perTenantMax,
    watch: options.watch,
    waitingMax: options.waitingMax ?? WAITING_MAX,
    idleMs: options.idleMs ?? IDLE_MS,
    refuse: refuseTurn('the reader of documents'),
    child: () => ({
      name: 'ocr',
      entry: codeFile('engines/ocr/child.ts'),
      yields: true,
      settings: { languageFiles, pagesMax, pixelsMax, pdfMemoryMib },
      variables: NATIVE_LIBRARIES,
      environment: options.environment,
      log,
      heapMib: memoryMib,
      memoryMib,
      stepMs: pageMs,
      // A page may take long; `stepMs` limits it.
      patience: { silentMs: Number.POSITIVE_INFINITY },
    }),
  });

  const ocr: OcrEngine = {
    async read({ tenant = OWN_WORK, document, ...request }, signal, tally) {
      const progress: Progress = {
        id: hexId(),
        pages: [],
        pageCount: 0,
        left: undefined,
        counters: { images: 0, tables: 0 },
        characters: 0,
        spentMs: 0,
      };
      const turn = (child: Reader) => readInTurn(child, tenant, { ...request, document }, progress, signal);
      try {
        while (progress.left === undefined || progress.left.length > 0)
          await pool.run(tenant, signal, turn, { isContinued: progress.left !== undefined });
        return { pages: progress.pages, pageCount: progress.pageCount };
      } finally {
        tally?.add({ promptTokens: progress.pages.length, completionTokens: 0 });
      }
    },
  };

  /** Reads until the end, or until another tenant would get this child. */
  async function readInTurn(
    child: Reader,
    tenant: Tenant,
    request: Omit<OcrRequest, 'tenant'>,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await readSlice(child, request, progress, signal);
      const { document: _document, ...rest } = request;
      while (progress.left && progress.left.length > 0 && !pool.isContested(tenant))
        await readSlice(child, rest, progress, signal);
    } catch (error) {
      // A library that failed once may be in any state.
      if (error instanceof RequestFailed) void child.end();
      signal.throwIfAborted();
      throw translate(error, progress.pages);
    }
  }

  async function readSlice(
    child: Reader,
    { document, pages, ...request }: Omit<OcrRequest, 'tenant' | 'document'> & { document?: Uint8Array },
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const { id, counters, left = pages } = progress;
    const startedAt = performance.now();
    const slice: SliceRequest = { ...request, id, counters, sliceMs: options.sliceMs ?? SLICE_MS };
    if (document) slice.document = document;
    if (left) slice.pages = left;
    for await (const parts of child.request(slice, signal, { graceMs: GRACE_MS }))
      for (const part of parts) take(part, progress);
    progress.spentMs += performance.now() - startedAt;
    if (progress.spentMs > documentMs && progress.left && progress.left.length > 0)
      throw explain('slow', progress.pages.length);
  }

  return {
    ...refuseChat('reads documents'),
    ocr,
    state: () => ({ kind: 'ready' }),
    pids: pool.pids,
    close: pool.close,
  };

  function translate(error: unknown, pages: OcrPage[]): unknown {
    if (error instanceof Refusal) return toApiError(error);
    if (!(error instanceof ChildExited || error instanceof RequestFailed)) return error;
    log.warn({ err: error, pages: pages.length }, 'a document was given up');
    return explain(error instanceof ChildExited ? error.killed : undefined, pages.length);
  }
}

function take(part: OcrPart, progress: Progress): void {
  if ('markdown' in part) {
    progress.pages.push(part);
    progress.left?.shift();
    progress.characters += part.markdown.length;
    for (const { image_base64 } of part.images) progress.characters += image_base64?.length ?? 0;
    if (progress.characters > RESPONSE_CHARACTERS_MAX) throw tooLarge();
  } else if ('counters' in part) progress.counters = part.counters;
  else {
    progress.pageCount = part.pageCount;
    progress.left = part.pages.map((page) => [page, page]);
  }
}

function tooLarge(): ApiError {
  return engineErrors.answer_too_large(
    'The pages hold more pictures than fit into one answer. Ask for fewer pages, or without include_image_base64.',
  );
}

/** Whatever goes wrong with a process that reads, its document is to blame. */
function explain(killed: ChildExited['killed'], pages: number): ApiError {
  const subject = pages === 0 ? 'The document' : `After ${pages} pages the document`;
  if (killed === 'slow') return engineErrors.document_too_slow(`${subject} took too long to be read.`);
  if (killed === 'memory') return engineErrors.document_too_large(`${subject} needed too much memory to be read.`);
  if (killed === 'ended') return requestErrors.server_stopping();
  return engineErrors.document_damaged('The document cannot be read: it is damaged, or made to be unreadable.');
}

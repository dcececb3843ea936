import type { Logger } from '../../kit/base/log.ts';
import { type ApiError, requestErrors } from '../../kit/http/index.ts';
import type { Engine } from '../engine.ts';
import { engineErrors, refuseChat, toApiError } from '../errors.ts';
import { createChildPool } from '../process/child-pool.ts';
import { NATIVE_LIBRARIES } from '../process/environment.ts';
import { Refusal } from '../process/protocol.ts';
import { ChildExited, RequestFailed } from '../process/start-child.ts';
import type { OcrEngine, OcrPage, OcrRequest, OcrResult } from './ocr-engine.ts';
import type { OcrPart, OcrSettings } from './protocol.ts';

const IDLE_MS = 5 * 60_000;
/** Documents that wait are in memory. */
const WAITING_MAX = 32;

export type OcrEngineOptions = OcrSettings & {
  /** Of one process. */
  memoryMib: number;
  /** Time for one page. */
  pageMs: number;
  /** Documents that are read at the same time. */
  concurrency: number;
  log: Logger;
  environment?: Record<string, string | undefined>;
  idleMs?: number;
  waitingMax?: number;
};

/** PDFium and Tesseract in child processes, each with one document at a time. */
export function createOcrEngine(options: OcrEngineOptions): Engine & { pids(): number[] } {
  const { languageFiles, pagesMax, pixelsMax, pdfMemoryMib, memoryMib, pageMs, log } = options;
  const pool = createChildPool<OcrSettings, OcrRequest, OcrPart>({
    concurrency: options.concurrency,
    waitingMax: options.waitingMax ?? WAITING_MAX,
    idleMs: options.idleMs ?? IDLE_MS,
    busy: () =>
      engineErrors.engine_busy('Too many documents wait to be read. Try again in a moment.', { retryAfterSeconds: 5 }),
    child: () => ({
      name: 'ocr',
      entry: new URL('./child.ts', import.meta.url),
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
    read: (request, signal, tally) =>
      pool.run(signal, async (child) => {
        const result: OcrResult & { pageCount: number } = { pages: [], pageCount: 0 };
        try {
          for await (const parts of child.request(request, signal, { finishesStep: true })) {
            for (const part of parts)
              if ('markdown' in part) result.pages.push(part);
              else result.pageCount = part.pageCount;
          }
          return result;
        } catch (error) {
          // A library that failed once may be in any state.
          if (error instanceof RequestFailed) void child.end();
          signal.throwIfAborted();
          throw translate(error, result.pages);
        } finally {
          tally?.add({ promptTokens: result.pages.length, completionTokens: 0 });
        }
      }),
  };

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

/** Whatever goes wrong with a process that reads, its document is to blame. */
function explain(killed: ChildExited['killed'], pages: number): ApiError {
  const subject = pages === 0 ? 'The document' : `After ${pages} pages the document`;
  if (killed === 'slow') return engineErrors.document_too_slow(`${subject} took too long to be read.`);
  if (killed === 'memory') return engineErrors.document_too_large(`${subject} needed too much memory to be read.`);
  if (killed === 'ended') return requestErrors.server_stopping();
  return engineErrors.document_damaged('The document cannot be read: it is damaged, or made to be unreadable.');
}

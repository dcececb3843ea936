import type { Logger } from '../../kit/base/log.ts';
import { type ApiError, badRequest, unavailable } from '../../kit/http/index.ts';
import type { Engine } from '../engine.ts';
import type { OcrEngine } from './ocr-engine.ts';
import type { ReaderSettings } from './protocol.ts';
import { type Reader, type ReaderLimits, startReader } from './reader.ts';

const IDLE_MS = 5 * 60_000;
/** Documents that wait are in memory. */
const WAITING_MAX = 32;

export type OcrEngineOptions = ReaderSettings &
  ReaderLimits & {
    /** Documents that are read at the same time. */
    concurrency: number;
    log: Logger;
    idleMs?: number;
    waitingMax?: number;
  };

/** PDFium and Tesseract in processes of their own, each with one document at a time. They end when nobody needs them. */
export function createOcrEngine(options: OcrEngineOptions): Engine & { pids(): number[] } {
  const { concurrency, log, memoryMib, pageMs, idleMs = IDLE_MS, waitingMax = WAITING_MAX } = options;
  const { languageFiles, pagesMax, pixelsMax, pdfMemoryMib } = options;
  const settings: ReaderSettings = { languageFiles, pagesMax, pixelsMax, pdfMemoryMib };
  const all = new Set<Reader>();
  let idle: { reader: Reader; timer: NodeJS.Timeout }[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;
  let isClosed = false;

  function take(): Reader {
    const rested = idle.pop();
    if (!rested) return start();
    clearTimeout(rested.timer);
    if (rested.reader.isAlive()) return rested.reader;
    all.delete(rested.reader);
    return take();
  }

  function start(): Reader {
    const reader = startReader(settings, { memoryMib, pageMs }, log);
    all.add(reader);
    return reader;
  }

  function giveBack(reader: Reader): void {
    if (!reader.isAlive()) {
      all.delete(reader);
      return;
    }
    const timer = setTimeout(() => {
      idle = idle.filter((other) => other.reader !== reader);
      all.delete(reader);
      void reader.close();
    }, idleMs);
    timer.unref();
    idle.push({ reader, timer });
  }

  /** In the order in which they came. */
  async function turn(signal: AbortSignal): Promise<void> {
    if (busy < concurrency) {
      busy++;
      return;
    }
    if (waiting.length >= waitingMax)
      throw unavailable('Too many documents wait to be read. Try again in a moment.', 5);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      waiting.splice(waiting.indexOf(resolve), 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise;
    signal.removeEventListener('abort', leave);
  }

  const ocr: OcrEngine = {
    async read(request, signal) {
      signal.throwIfAborted();
      await turn(signal);
      try {
        if (isClosed) throw unavailable('The server is stopping.', 1);
        const reader = take();
        try {
          return await reader.read(request, signal);
        } finally {
          giveBack(reader);
        }
      } finally {
        const next = waiting.shift();
        if (next) next();
        else busy--;
      }
    },
  };

  return {
    ocr,
    complete: () => Promise.reject(onlyReads()),
    stream: () => {
      throw onlyReads();
    },
    state: () => ({ kind: 'ready' }),
    pids: () => [...all].flatMap((reader) => reader.pid() ?? []),
    async close() {
      isClosed = true;
      for (const { timer } of idle) clearTimeout(timer);
      await Promise.all([...all].map((reader) => reader.close()));
    },
  };
}

function onlyReads(): ApiError {
  return badRequest('This model only reads documents. Choose a chat model.');
}

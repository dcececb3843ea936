import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Logger } from '../../kit/base/log.ts';
import { badRequest, unavailable } from '../../kit/http/index.ts';
import { endChild } from '../end-child.ts';
import type { OcrPage, OcrRequest, OcrResult } from './ocr-engine.ts';
import type { FromReader, ReaderSettings, ToReader } from './protocol.ts';

const WATCH_MS = 100;
const MEBIBYTE = 1024 * 1024;
const PAGE_BYTES = 4096;

export type ReaderLimits = { memoryMib: number; pageMs: number };

/** A process that reads one document at a time. What goes wrong with it, the document is to blame for. */
export type Reader = {
  read(request: OcrRequest, signal: AbortSignal): Promise<OcrResult>;
  isAlive(): boolean;
  pid(): number | undefined;
  close(): Promise<void>;
};

export function startReader(settings: ReaderSettings, limits: ReaderLimits, log: Logger): Reader {
  // An empty environment: the server's holds keys that a reader has no use for.
  const child = fork(new URL('./child.ts', import.meta.url), [JSON.stringify(settings)], {
    execArgv: [`--max-old-space-size=${limits.memoryMib}`],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => log.debug({ text }, 'reader of documents'));
  // Its end is what counts, and it is told by `exit`.
  child.on('error', (error) => log.error({ err: error }, 'a reader of documents could not be reached'));
  // Between the order to end and the end nobody may get it any more.
  let isDoomed = false;
  const isAlive = () => !isDoomed && child.exitCode === null && child.signalCode === null && child.connected;

  return {
    isAlive,
    pid: () => child.pid,
    close: () => endChild(child, 1000),
    read(request, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<OcrResult>();
      const pages: OcrPage[] = [];
      let pageCount = 0;
      let isLeft = false;
      const pageTimer = setTimeout(() => end('took too long'), limits.pageMs);
      const watch = setInterval(() => {
        if (residentBytes(child) > limits.memoryMib * MEBIBYTE) end('needed too much memory');
      }, WATCH_MS);

      function end(reason: string): void {
        log.warn({ reason, pages: pages.length }, 'a document was given up');
        isDoomed = true;
        child.kill('SIGKILL');
        const page = pages.length === 0 ? 'The document' : `After ${pages.length} pages the document`;
        settle(() =>
          reject(
            badRequest(`${page} ${reason} to be read.`, {
              code: reason === 'took too long' ? 'document_too_slow' : 'document_too_large',
            }),
          ),
        );
      }

      function settle(outcome: () => void): void {
        clearTimeout(pageTimer);
        clearInterval(watch);
        child.off('message', hear);
        child.off('exit', died);
        signal.removeEventListener('abort', leave);
        outcome();
      }

      function hear(message: FromReader): void {
        pageTimer.refresh();
        if (message.kind === 'opened') pageCount = message.pageCount;
        else if (message.kind === 'page') pages.push(message.page);
        else if (message.kind === 'done')
          settle(() => (isLeft ? reject(signal.reason) : resolve({ pages, pageCount })));
        else if (message.kind === 'refused') settle(() => reject(badRequest(message.message, { code: message.code })));
        else {
          isDoomed = true;
          log.error({ reason: message.reason }, 'a reader of documents failed on one and is started again');
          settle(() => reject(unreadable()));
        }
      }

      function died(): void {
        log.error(
          { code: child.exitCode, signal: child.signalCode },
          'a reader of documents died and is started again',
        );
        settle(() => reject(isLeft ? signal.reason : unreadable()));
      }

      /** The page in hand is read to its end; only then is the process free. */
      function leave(): void {
        isLeft = true;
        tell({ kind: 'cancel' });
      }

      function tell(message: ToReader): void {
        child.send(message, () => undefined);
      }

      if (!isAlive()) return Promise.reject(unavailable('The reader of documents is being started again.', 1));
      child.on('message', hear);
      child.once('exit', died);
      signal.addEventListener('abort', leave, { once: true });
      tell({ kind: 'read', request });
      return promise;
    },
  };
}

function unreadable(): Error {
  return badRequest('The document cannot be read: it is damaged, or made to be unreadable.', {
    code: 'document_damaged',
  });
}

/** How much memory a process has; 0 where the system does not tell. */
function residentBytes({ pid }: ChildProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

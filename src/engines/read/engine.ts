import { codeFile } from '../../kit/base/locations.ts';
import type { Logger } from '../../kit/base/log.ts';
import { type FairQueueOptions, OWN_WORK } from '../../kit/fair-queue/index.ts';
import { requestErrors } from '../../kit/http/index.ts';
import { engineErrors, refuseTurn, toApiError } from '../errors.ts';
import { createChildPool } from '../process/child-pool.ts';
import { Refusal } from '../process/protocol.ts';
import { ChildExited, RequestFailed } from '../process/start-child.ts';
import type { ReadPart, ReadSettings, ReadTask } from './protocol.ts';
import type { DocumentChunk, ReadEngine, ReadPage, ReadResult } from './read-engine.ts';

const IDLE_MS = 60_000;
const WAITING_MAX = 64;
const GRACE_MS = 200;

export type ReadEngineOptions = ReadSettings &
  Pick<FairQueueOptions, 'perTenantMax' | 'watch'> & {
    /** Documents that are read at the same time. */
    concurrency: number;
    /** Of one process. */
    memoryMib: number;
    /** Time for one document. */
    documentMs: number;
    log: Logger;
    environment?: Record<string, string | undefined>;
    idleMs?: number;
  };

/** Reads and splits documents in child processes, each with one document at a time. */
export function createReadEngine(options: ReadEngineOptions): ReadEngine {
  const { textCharactersMax, chunksMax, entriesMax, unpackedBytesMax, memoryMib, documentMs, log } = options;
  const pool = createChildPool<ReadSettings, ReadTask, ReadPart>({
    concurrency: options.concurrency,
    perTenantMax: options.perTenantMax,
    watch: options.watch,
    waitingMax: WAITING_MAX,
    idleMs: options.idleMs ?? IDLE_MS,
    refuse: refuseTurn('the reader of documents'),
    child: () => ({
      name: 'read',
      entry: codeFile('engines/read/child.ts'),
      yields: true,
      settings: { textCharactersMax, chunksMax, entriesMax, unpackedBytesMax },
      variables: [],
      environment: options.environment,
      log,
      heapMib: memoryMib,
      memoryMib,
      stepMs: documentMs,
      endMs: 0,
      // A document may take long; `stepMs` limits it.
      patience: { silentMs: Number.POSITIVE_INFINITY },
    }),
  });

  return {
    async read({ tenant = OWN_WORK, ...task }, signal, onEntry) {
      const pages: ReadPage[] = [];
      const chunks: DocumentChunk[] = [];
      let facts: Omit<ReadResult, 'pages' | 'chunks'> | undefined;
      await pool.run(tenant, signal, async (child) => {
        try {
          for await (const parts of child.request(task, signal, { graceMs: GRACE_MS }))
            for (const part of parts) {
              if ('entry' in part) await onEntry?.(part.entry);
              else if ('pages' in part) pages.push(...part.pages);
              else if ('chunks' in part) chunks.push(...part.chunks);
              else facts = part.facts;
            }
        } catch (error) {
          if (error instanceof RequestFailed) void child.end();
          signal.throwIfAborted();
          throw translate(error);
        }
      });
      if (!facts) throw engineErrors.document_damaged('The document cannot be read.');
      return { ...facts, pages, chunks };
    },
    pids: pool.pids,
    close: pool.close,
  };

  /** Whatever goes wrong with a process that reads, its document is to blame. */
  function translate(error: unknown): unknown {
    if (error instanceof Refusal) return toApiError(error);
    if (!(error instanceof ChildExited || error instanceof RequestFailed)) return error;
    log.warn({ err: error }, 'a document was given up');
    const killed = error instanceof ChildExited ? error.killed : undefined;
    if (killed === 'slow') return engineErrors.document_too_slow('The document took too long to be read.');
    if (killed === 'memory') return engineErrors.document_too_large('The document needed too much memory to be read.');
    if (killed === 'ended') return requestErrors.server_stopping();
    return engineErrors.document_damaged('The document cannot be read: it is damaged, or made to be unreadable.');
  }
}

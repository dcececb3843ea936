import { Worker } from 'node:worker_threads';
import type { ReadOrder, ReadReport } from './serve-reads.ts';

export type ReaderThreads<I, O> = {
  /** In a thread, one read at a time each. Ends early where the signal fires and the program heeds it. */
  read(input: I, signal?: AbortSignal): Promise<O>;
  close(): Promise<void>;
};

export type ReaderThreadsOptions = {
  file: string;
  /** Calls `serveReads`. */
  program: URL;
  threadsMax: number;
  /** A thread is quick to start, but not as quick as a query; an idle one costs memory. */
  idleMs: number;
};

/** Threads with connections of their own to a file of SQLite: as many as reads run at once, for as long as more come. */
export function createReaderThreads<I, O>(options: ReaderThreadsOptions): ReaderThreads<I, O> {
  const { file, program, threadsMax, idleMs } = options;
  const threads = new Set<Thread<I, O>>();
  const waiting: PromiseWithResolvers<Thread<I, O>>[] = [];
  let isClosed = false;

  function start(): Thread<I, O> {
    const thread = new Thread<I, O>(program, file, idleMs, () => threads.delete(thread));
    threads.add(thread);
    return thread;
  }

  async function take(): Promise<Thread<I, O>> {
    if (isClosed) throw new Error('The threads that read this database are closed.');
    const idle = [...threads].find(({ isBusy }) => !isBusy);
    const free = idle ?? (threads.size < threadsMax ? start() : undefined);
    const turn = Promise.withResolvers<Thread<I, O>>();
    if (!free) waiting.push(turn);
    const thread = free ?? (await turn.promise);
    thread.isBusy = true;
    return thread;
  }

  /** The next read has the thread without it ever being idle; one that ended is replaced. */
  function pass(thread: Thread<I, O>): void {
    const next = waiting.shift();
    if (next) next.resolve(threads.has(thread) ? thread : start());
    else thread.rest();
  }

  return {
    async read(input, signal) {
      const thread = await take();
      try {
        signal?.throwIfAborted();
        return await thread.read(input, signal);
      } finally {
        pass(thread);
      }
    },
    async close() {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(new Error('The threads that read this database are closed.'));
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

class Thread<I, O> {
  isBusy = false;
  readonly #worker: Worker;
  readonly #idleMs: number;
  readonly #onEnd: () => void;
  #idle: NodeJS.Timeout | undefined;

  /** `onEnd`: it takes no more reads. May be called more than once. */
  constructor(program: URL, file: string, idleMs: number, onEnd: () => void) {
    this.#idleMs = idleMs;
    this.#onEnd = onEnd;
    this.#worker = new Worker(program, { workerData: file, env: {} });
    this.#worker.unref();
    this.#worker.once('exit', onEnd).once('error', onEnd);
  }

  async read(input: I, signal?: AbortSignal): Promise<O> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    // While somebody waits for it, the thread keeps the process alive.
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<ReadReport<O>>();
    const onExit = () => reject(new Error('The thread that reads the database ended early.'));
    const cancel = () => worker.postMessage('cancel' satisfies ReadOrder<I>);
    worker.once('message', resolve).once('error', reject).once('exit', onExit);
    signal?.addEventListener('abort', cancel);
    worker.postMessage({ input } satisfies ReadOrder<I>);
    try {
      const report = await promise;
      if ('output' in report) return report.output;
      signal?.throwIfAborted();
      throw Object.assign(new Error(report.failure), report.code && { code: report.code });
    } finally {
      worker.off('message', resolve).off('error', reject).off('exit', onExit);
      signal?.removeEventListener('abort', cancel);
      worker.unref();
    }
  }

  rest(): void {
    this.isBusy = false;
    this.#idle = setTimeout(() => void this.end(), this.#idleMs).unref();
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    this.#onEnd();
    await this.#worker.terminate();
  }
}

import { Worker } from 'node:worker_threads';
import { codeFile } from '../../kit/base/locations.ts';
import type { Database } from '../../kit/db/index.ts';
import { type CandidateQuery, type Candidates, findCandidates } from './find-candidates.ts';
import type { SearchOrder, SearchReport } from './search-worker.ts';

const THREADS_MAX = 2;
const IDLE_MS = 60_000;

export type CandidateFinder = {
  find(query: CandidateQuery): Promise<Candidates>;
  close(): Promise<void>;
};

/** On SQLite in threads that are started when they are needed; PostgreSQL does the work itself. */
export function createCandidateFinder({ kind, db, file }: Database): CandidateFinder {
  if (file === undefined) return { find: (query) => findCandidates(db, kind, query), close: async () => undefined };
  const threads: SearchThread[] = [];
  return {
    find(query) {
      for (const thread of threads.filter(({ isEnded }) => isEnded)) threads.splice(threads.indexOf(thread), 1);
      const idle = threads.find(({ load }) => load === 0);
      if (!idle && threads.length < THREADS_MAX) threads.push(new SearchThread(file));
      const thread = idle ?? threads.toSorted((a, b) => a.load - b.load)[0];
      if (!thread) throw new Error('There is no thread to search with.');
      return thread.find(query);
    },
    close: async () => void (await Promise.all(threads.map((thread) => thread.close()))),
  };
}

type Waiting = { resolve(candidates: Candidates): void; reject(error: Error): void };

class SearchThread {
  isEnded = false;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#worker = new Worker(codeFile('retrieval/search/search-worker.ts'), { workerData: file, env: {} });
    this.#worker.unref();
    this.#worker.on('message', (report: SearchReport) => this.#settle(report));
    this.#worker.on('error', (error) => this.#end(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => this.#end(new Error('The thread that searches ended early.')));
  }

  get load(): number {
    return this.#waiting.size;
  }

  find(query: CandidateQuery): Promise<Candidates> {
    clearTimeout(this.#idle);
    const id = ++this.#last;
    // While somebody waits for it, the thread keeps the process alive.
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, query } satisfies SearchOrder);
    });
  }

  async close(): Promise<void> {
    this.isEnded = true;
    clearTimeout(this.#idle);
    await this.#worker.terminate();
  }

  #settle(report: SearchReport): void {
    const waiting = this.#waiting.get(report.id);
    this.#waiting.delete(report.id);
    if ('failure' in report) waiting?.reject(new Error(report.failure));
    else waiting?.resolve(report.candidates);
    if (this.#waiting.size > 0) return;
    this.#worker.unref();
    this.#idle = setTimeout(() => void this.close(), IDLE_MS);
    this.#idle.unref();
  }

  #end(error: Error): void {
    this.isEnded = true;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

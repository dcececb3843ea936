import type { Database } from '../../kit/db/index.ts';
import { findJobById, insertResults, type JobRow, noteWait, type ResultRow } from '../store.ts';

const ROWS_MAX = 200;
const FLUSH_MS = 25;
/** A job without new results notices within this time that it was cancelled. */
const IDLE_FLUSH_MS = 1000;

export type ResultWriter = {
  add(row: ResultRow): void;
  /** Writes the rest and stops. Throws the error of a failed write. */
  close(): Promise<void>;
};

/** Writes results in batches, since a transaction for each would be slow. */
export function createResultWriter(
  database: Database,
  jobId: string,
  on: {
    written: (job: JobRow | undefined) => void;
    failed: (error: unknown) => void;
    /** What a job without new results waits for. */
    waitsFor: () => string | null;
  },
): ResultWriter {
  let rows: ResultRow[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let failure: { error: unknown } | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = rows;
    rows = [];
    writing = writing.then(async () => {
      if (failure) return;
      try {
        on.written(await (batch.length > 0 ? database.transaction((tx) => insertResults(tx, jobId, batch)) : look()));
      } catch (error) {
        failure = { error };
        on.failed(error);
      }
    });
  }
  /** Many jobs may wait at a time, so a change is written and nothing else. */
  async function look(): Promise<JobRow | undefined> {
    const job = await findJobById(database.db, jobId);
    const waits_for = on.waitsFor();
    if (job && job.waits_for !== waits_for) await database.transaction((tx) => noteWait(tx, jobId, waits_for));
    return job;
  }

  const idleTimer = setInterval(() => {
    if (timer === undefined) flush();
  }, IDLE_FLUSH_MS);

  return {
    add(row) {
      rows.push(row);
      if (rows.length >= ROWS_MAX) flush();
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    async close() {
      clearInterval(idleTimer);
      flush();
      await writing;
      if (failure) throw failure.error;
    },
  };
}

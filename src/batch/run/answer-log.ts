import type { Database } from '../../kit/db/index.ts';
import { type AnswerRow, addAnswers, type JobRow } from '../store.ts';

const ROWS_MAX = 200;
const FLUSH_MS = 25;
/** A job that answers nothing for long still hears within this time that it was cancelled. */
const LOOK_MS = 1000;

export type AnswerLog = {
  add(row: AnswerRow): void;
  /** Writes what is left and stops; throws what a write threw. */
  close(): Promise<void>;
};

/** Answers are written together, so that ten thousand of them are not ten thousand transactions. */
export function createAnswerLog(
  database: Database,
  jobId: string,
  on: { written: (job: JobRow | undefined) => void; failed: (error: unknown) => void },
): AnswerLog {
  let rows: AnswerRow[] = [];
  let writing: Promise<void> = Promise.resolve();
  let soon: NodeJS.Timeout | undefined;
  let failure: { error: unknown } | undefined;

  function flush(): void {
    clearTimeout(soon);
    soon = undefined;
    const batch = rows;
    rows = [];
    writing = writing.then(async () => {
      if (failure) return;
      try {
        on.written(await database.transaction((tx) => addAnswers(tx, jobId, batch)));
      } catch (error) {
        failure = { error };
        on.failed(error);
      }
    });
  }
  const look = setInterval(() => {
    if (soon === undefined) flush();
  }, LOOK_MS);

  return {
    add(row) {
      rows.push(row);
      if (rows.length >= ROWS_MAX) flush();
      else soon ??= setTimeout(flush, FLUSH_MS);
    },
    async close() {
      clearInterval(look);
      flush();
      await writing;
      if (failure) throw failure.error;
    },
  };
}

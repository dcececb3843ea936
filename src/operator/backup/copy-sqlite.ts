import SqliteConnection from 'better-sqlite3';

const PAGES_PER_STEP = 1000;

type Progress = (done: number, total: number) => void;

/**
 * Copies a consistent snapshot while the server writes. Without the open read transaction SQLite would restart the copy
 * after every commit, and under steady writes it would never end.
 */
export async function copySqlite(file: string, target: string, onProgress: Progress): Promise<void> {
  const source = new SqliteConnection(file, { readonly: true, fileMustExist: true });
  try {
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await source.backup(target, {
      progress({ totalPages, remainingPages }) {
        onProgress(totalPages - remainingPages, totalPages);
        return PAGES_PER_STEP;
      },
    });
  } finally {
    source.close();
  }
  const copy = new SqliteConnection(target);
  // A single file without a write-ahead log can be opened on a read-only disk.
  copy.pragma('journal_mode = delete');
  copy.close();
}

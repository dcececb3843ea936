import SqliteConnection from 'better-sqlite3';

const PAGES_PER_STEP = 1000;

type Progress = (done: number, total: number) => void;

/**
 * Copies the database as it was at one moment while others write to it. The open read transaction is the point:
 * without it SQLite begins the copy anew whenever somebody commits, and under steady writes it never ends.
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
  // One plain file without a log beside it, so that it can be opened where nothing may be written.
  copy.pragma('journal_mode = delete');
  copy.close();
}

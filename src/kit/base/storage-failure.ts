/**
 * Why something could not be kept or read: the disk is full, may not be written, or fails; the database cannot be
 * reached; or the answer to a write was lost, so that nobody knows whether it was done.
 */
export type StorageProblem = 'full' | 'read-only' | 'failing' | 'unreachable' | 'unknown';

/** For those who know more than the code of the error that they caught. */
export class StorageFailure extends Error {
  override name = 'StorageFailure';
  readonly problem: StorageProblem;

  constructor(problem: StorageProblem, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.problem = problem;
  }
}

/** Codes of the system, of SQLite and of PostgreSQL. SQLite adds a word to its own: SQLITE_IOERR_WRITE. */
const PROBLEMS: [codes: RegExp, problem: StorageProblem][] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL|53100)$/, 'full'],
  [/^(EROFS|SQLITE_READONLY(_.*)?|25006)$/, 'read-only'],
  [/^(EIO|SQLITE_IOERR(_.*)?|SQLITE_CANTOPEN(_.*)?|58030)$/, 'failing'],
];

/** Undefined for every error that is not about storage. */
export function storageProblemOf(error: unknown): StorageProblem | undefined {
  if (error instanceof StorageFailure) return error.problem;
  if (!(error instanceof Error && 'code' in error)) return undefined;
  const code = String(error.code);
  return PROBLEMS.find(([codes]) => codes.test(code))?.[1];
}

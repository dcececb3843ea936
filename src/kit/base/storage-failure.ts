/**
 * Why storage failed: the disk is full, read-only or failing; the database is unreachable; or the response to a
 * write was lost, so its outcome is unknown.
 */
export type StorageProblem = 'full' | 'read-only' | 'failing' | 'unreachable' | 'unknown';

/** For callers that know the problem better than the error code tells. */
export class StorageFailure extends Error {
  override name = 'StorageFailure';
  readonly problem: StorageProblem;

  constructor(problem: StorageProblem, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.problem = problem;
  }
}

/** Codes of the system, SQLite and PostgreSQL. SQLite codes may have a suffix: SQLITE_IOERR_WRITE. */
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

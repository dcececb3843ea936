import { StorageFailure } from '../../base/storage-failure.ts';

/** PostgreSQL ended the connection, or cannot accept one now. */
const SERVER_CODES = new Set(['57P01', '57P02', '57P03', '08000', '08003', '08006', '08001']);
const SOCKET_CODES = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT']);
/** Messages of the client library, which have no code. */
const CLIENT_WORDS = /^Connection terminated|is not queryable|connection error/;

/** The statement was not executed, unless it was a commit: then its outcome is unknown. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof StorageFailure) return error.problem === 'unreachable';
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return SERVER_CODES.has(code) || SOCKET_CODES.has(code) || CLIENT_WORDS.test(error.message);
}

/** Wraps the error in one that callers know, with the original as its cause. */
export function unreachable(cause: unknown): StorageFailure {
  if (cause instanceof StorageFailure) return cause;
  return new StorageFailure('unreachable', 'PostgreSQL cannot be reached.', { cause });
}

/** A commit without a response. It must not be repeated, because it may have succeeded. */
export class CommitUnknown extends StorageFailure {
  override name = 'CommitUnknown';

  constructor(cause: unknown) {
    super('unknown', 'The connection to PostgreSQL was lost during a commit; whether it was done is not known.', {
      cause,
    });
  }
}

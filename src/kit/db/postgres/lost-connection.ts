import { StorageFailure } from '../../base/storage-failure.ts';

/** PostgreSQL ended the connection, or cannot take one at this moment. */
const SERVER_CODES = new Set(['57P01', '57P02', '57P03', '08000', '08003', '08006', '08001']);
const SOCKET_CODES = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT']);
/** The client's own words for it; they have no code. */
const CLIENT_WORDS = /^Connection terminated|is not queryable|connection error/;

/** What was asked on this connection was not done, unless it was a commit: then nobody knows. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof StorageFailure) return error.problem === 'unreachable';
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return SERVER_CODES.has(code) || SOCKET_CODES.has(code) || CLIENT_WORDS.test(error.message);
}

/** The same error in the words that callers know, with the first as its cause. */
export function unreachable(cause: unknown): StorageFailure {
  if (cause instanceof StorageFailure) return cause;
  return new StorageFailure('unreachable', 'PostgreSQL cannot be reached.', { cause });
}

/** A commit that was sent and not answered. It must not be repeated: it may have been done. */
export class CommitUnknown extends StorageFailure {
  override name = 'CommitUnknown';

  constructor(cause: unknown) {
    super('unknown', 'The connection to PostgreSQL was lost during a commit; whether it was done is not known.', {
      cause,
    });
  }
}

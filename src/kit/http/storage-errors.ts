import type { StorageProblem } from '../base/storage-failure.ts';
import type { ApiError } from './errors.ts';
import { requestErrors } from './request-errors.ts';

const READING_GOES_ON = 'What is stored can be read, and models answer.';

const WORDS: Record<StorageProblem, string> = {
  full: `The server's disk is full, and nothing was written. ${READING_GOES_ON} Ask the operator to make room, then send this again.`,
  'read-only': `The server's disk may not be written, and nothing was. ${READING_GOES_ON} Ask the operator to make it writable, then send this again.`,
  failing: `The server's disk failed. ${READING_GOES_ON} Ask the operator to look at the disk, then send this again.`,
  unreachable: 'The database cannot be reached. Try again in a moment.',
  unknown:
    'The answer of the disk or database was lost, so it is not known whether this was done. Look for it before you send it again, or repeat it with the same Idempotency-Key.',
};

/** The error of a failing disk or database: whether anything was written, what still works, what to do. */
export function storageError(problem: StorageProblem, cause: unknown): ApiError {
  if (problem !== 'full') return requestErrors.storage_unavailable(WORDS[problem], { cause });
  return requestErrors.storage_full(WORDS.full, { cause });
}

import { codeOf } from '../kit/base/error-code.ts';

/** A command failed for a reason that the operator can fix; shown as one line without a stack. */
export class CommandFailure extends Error {}

const CODES = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'ENOTDIR',
  'EISDIR',
  'EXDEV',
  'EDQUOT',
  'EMFILE',
  'EIO',
  'EEXIST',
]);

/** Turns errors of the file system into a CommandFailure; returns every other error unchanged. */
export function explainFile(error: unknown, doing: string): unknown {
  const code = codeOf(error);
  if (!CODES.has(code)) return error;
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : code;
  const { path } = error as NodeJS.ErrnoException;
  return new CommandFailure(`${doing} failed: ${reason}${path === undefined ? '' : ` (${path})`}.`);
}

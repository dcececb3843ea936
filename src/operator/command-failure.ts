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
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!CODES.has(code)) return error;
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : code;
  return new CommandFailure(`${doing} failed: ${reason}${error instanceof Error ? describePath(error) : ''}.`);
}

function describePath(error: Error): string {
  return 'path' in error ? ` (${String(error.path)})` : '';
}

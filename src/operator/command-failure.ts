/** What the operator asked for cannot be done for a reason they can mend: one line, no stack. */
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

/** Words a failure of the file system; every other error stays what it is. */
export function explainFile(error: unknown, doing: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!CODES.has(code)) return error;
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : code;
  return new CommandFailure(`${doing} failed: ${reason}${error instanceof Error ? pathOf(error) : ''}.`);
}

function pathOf(error: Error): string {
  return 'path' in error ? ` (${String(error.path)})` : '';
}

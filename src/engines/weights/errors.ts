/** The pull failed for good; the message is for the operator and says what to do. */
export class PullFailed extends Error {
  override readonly name = 'PullFailed';
}

/** One source could not give the file; the next one is tried. `message` fits behind "pip: ". */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

const SAFE = /^[\w./:@%+=,-]+$/;

/** One word for a POSIX shell, whatever is in it. */
export function quoteForShell(text: string): string {
  return SAFE.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

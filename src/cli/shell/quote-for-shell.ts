const SAFE = /^[\w./:@%+=,-]+$/;

/** Quotes a text as one argument for a POSIX shell. */
export function quoteForShell(text: string): string {
  return SAFE.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

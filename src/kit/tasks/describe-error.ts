const CHARACTERS_MAX = 2000;
const STACK_LINE = /\n[ \t]+at [^\n]*/g;
const NUL = '\u0000';

/** The kept text of an error: one that both databases can store, short, and without a stack. */
export function describeError(error: unknown): string {
  return textOf(error).replace(STACK_LINE, '').replaceAll(NUL, '').slice(0, CHARACTERS_MAX).toWellFormed();
}

function textOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (!(error instanceof Error)) return 'Something other than an error was thrown.';
  // Node's AggregateError has a code and no message.
  const code = 'code' in error ? String(error.code) : '';
  return `${error.name}: ${error.message || code}`;
}

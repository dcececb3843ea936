const LENGTH_MAX = 8;
const TIMES = 5;
const TOKENS_MIN = 15;

/** The same few tokens again and again: the model found no end, and every token costs a run of the decoder. */
export function repeatsItself(tokens: readonly number[]): boolean {
  return loopOf(tokens) !== undefined;
}

/** How many tokens are left when those that repeat stand once. */
export function withoutLoop(tokens: readonly number[]): number {
  const length = loopOf(tokens);
  if (length === undefined) return tokens.length;
  let start = tokens.length;
  while (start > length && tokens[start - 1] === tokens[start - 1 - length]) start--;
  return start;
}

/** How many tokens are repeated at the end. */
function loopOf(tokens: readonly number[]): number | undefined {
  for (let length = 1; length <= LENGTH_MAX; length++) {
    const needed = Math.max(TIMES * length, TOKENS_MIN);
    if (tokens.length < needed) return undefined;
    let at = tokens.length - 1;
    while (at >= tokens.length - needed + length && tokens[at] === tokens[at - length]) at--;
    if (at < tokens.length - needed + length) return length;
  }
  return undefined;
}

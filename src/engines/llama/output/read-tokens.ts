export type TokenReader = { push(token: number): string; flush(): string };

/** Tokens before the new ones that decide about spaces between words. */
const lastTokensMax = 4;
/** More pieces than the longest character has bytes: what is not a character by then never will be. */
const pendingTokensMax = 6;

/** Turns tokens into text and never shows half a character: one character may be spread over several tokens. */
export function createTokenReader(detokenize: (tokens: number[], last: number[]) => string): TokenReader {
  let last: number[] = [];
  let pending: number[] = [];

  function take(text: string): string {
    last = [...last, ...pending].slice(-lastTokensMax);
    pending = [];
    return text;
  }

  return {
    push(token) {
      pending.push(token);
      const text = detokenize(pending, last);
      if (text.endsWith('\uFFFD') && pending.length < pendingTokensMax) return '';
      return take(text);
    },
    flush: () => (pending.length === 0 ? '' : take(detokenize(pending, last)).replace(/\uFFFD+$/, '')),
  };
}

/** A stretch of the prompt; only in special ones do control tokens such as `<|im_end|>` mean themselves. */
export type Segment = { text: string; isSpecial: boolean };

const OPEN = '\uE0F0';
const CLOSE = '\uE0F1';
const PLACEHOLDER = /\uE0F0(\d+)\uE0F1/;

/**
 * Keeps text of users from acting as control tokens: `<|im_end|>` in a message must not end the turn. Such words
 * are replaced before the template runs, because it may trim or search the content, and come back as plain text.
 */
export function createShield(controlTexts: string[]) {
  const words = controlTexts.filter((text) => text.length > 1).toSorted((a, b) => b.length - a.length);
  const pattern = words.length > 0 ? new RegExp(words.map(escapePattern).join('|'), 'g') : undefined;
  const index = new Map(words.map((word, place) => [word, place]));
  return {
    cover<T>(value: T): { value: T; uncover(text: string): Segment[] } {
      const json = JSON.stringify(value);
      const covered = pattern ? json.replaceAll(pattern, (word) => `${OPEN}${index.get(word)}${CLOSE}`) : json;
      return { value: covered === json ? value : JSON.parse(covered), uncover };
    },
  };

  function uncover(text: string): Segment[] {
    // Every second part is the number of a word.
    return text.split(PLACEHOLDER).map((part, place) => {
      const isWord = place % 2 === 1;
      return { text: isWord ? (words[Number(part)] ?? '') : part, isSpecial: !isWord };
    });
  }
}

function escapePattern(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

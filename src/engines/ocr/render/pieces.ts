/** Text that is being written, with the place of each word whose certainty is known. */
export type Written = { text: string; words: WrittenWord[] };
export type WrittenWord = { text: string; confidence: number; start_index: number };

export const nothing = (): Written => ({ text: '', words: [] });

export function literally(text: string): Written {
  return { text, words: [] };
}

export function join(parts: readonly Written[], between = ''): Written {
  const texts: string[] = [];
  const words: WrittenWord[] = [];
  let at = 0;
  for (const [i, part] of parts.entries()) {
    if (i > 0) {
      texts.push(between);
      at += between.length;
    }
    texts.push(part.text);
    for (const word of part.words) words.push({ ...word, start_index: word.start_index + at });
    at += part.text.length;
  }
  return { text: texts.join(''), words };
}

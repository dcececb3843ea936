/** About three sentences: in a longer piece a single sentence would be averaged away. */
const PIECE_CHARACTERS = 240;
/** Shorter sentences mean too little alone, and a text of them would have too many pieces. */
const SENTENCE_CHARACTERS_MIN = 20;

const SENTENCE = /[^.!?\n]*[.!?\n]+\s*|[^.!?\n]+/g;

/**
 * Splits a text into groups of sentences, since some have a meaning only together, and `withSentences` also into single
 * ones, since one hides among harmless ones. Long sentences are cut between words.
 */
export function splitPieces(text: string, withSentences: boolean): string[] {
  const pieces = new Set<string>();
  let together: string[] = [];
  let characters = 0;
  const close = () => {
    const alone = withSentences ? together.filter(({ length }) => length >= SENTENCE_CHARACTERS_MIN) : [];
    for (const piece of [...alone, together.join('')]) pieces.add(piece.trim());
    together = [];
    characters = 0;
  };
  for (const [sentence] of text.matchAll(SENTENCE)) {
    for (const part of cut(sentence)) {
      if (characters + part.length > PIECE_CHARACTERS) close();
      together.push(part);
      characters += part.length;
    }
  }
  close();
  pieces.delete('');
  return [...pieces];
}

function cut(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > PIECE_CHARACTERS) {
    const space = rest.lastIndexOf(' ', PIECE_CHARACTERS);
    const end = space > 0 ? space + 1 : PIECE_CHARACTERS;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

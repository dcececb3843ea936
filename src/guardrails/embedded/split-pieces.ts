/** About three sentences. A longer text would be averaged until a single sentence in it no longer shows. */
const PIECE_CHARACTERS = 240;
/** What is shorter says too little by itself, and a text of nothing else would have pieces without end. */
const SENTENCE_CHARACTERS_MIN = 20;

const SENTENCE = /[^.!?\n]*[.!?\n]+\s*|[^.!?\n]+/g;

/**
 * What is judged of a text: as many sentences together as fit into a piece, because some mean something only together,
 * and `withSentences` each of them alone, because one among harmless ones hides. A sentence that is too long is cut
 * between words.
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

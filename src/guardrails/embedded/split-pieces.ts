/** About three sentences. A longer text would be averaged until a single sentence in it no longer shows. */
const PIECE_CHARACTERS = 240;

const SENTENCE = /[^.!?\n]*[.!?\n]+\s*|[^.!?\n]+/g;

/**
 * What is judged of a text: each sentence, because one among harmless ones hides, and the sentences around it as far
 * as they fit into a piece, because some mean something only together. A sentence that is too long is cut between words.
 */
export function splitPieces(text: string): string[] {
  const pieces = new Set<string>();
  let together: string[] = [];
  let characters = 0;
  const close = () => {
    for (const piece of [...together, together.join('')]) pieces.add(piece.trim());
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

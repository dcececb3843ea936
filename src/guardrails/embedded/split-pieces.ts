/** About three sentences. A longer text would be averaged until a single sentence in it no longer shows. */
const PIECE_CHARACTERS = 240;

const SENTENCE = /[^.!?\n]*[.!?\n]+\s*|[^.!?\n]+/g;

/** The sentences of a text, as many together as fit into one piece. One that is too long is cut between words. */
export function splitPieces(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const [sentence] of text.matchAll(SENTENCE)) {
    for (const part of cut(sentence)) {
      if (piece !== '' && piece.length + part.length > PIECE_CHARACTERS) {
        pieces.push(piece);
        piece = '';
      }
      piece += part;
    }
  }
  if (piece !== '') pieces.push(piece);
  return pieces.map((each) => each.trim()).filter((each) => each !== '');
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

/** After the end of a sentence, of a line, or after a sign that ends one in scripts without spaces. */
const END = /(?<=[.!?…]["'”’)\]]{0,2})\s+|(?<=[。！？])|\n/u;

/** Parts of at most this length, cut behind sentences where there are any; as few parts as possible unless told. */
export function splitSentences(text: string, charactersMax: number, sentencesMax = Number.POSITIVE_INFINITY): string[] {
  const parts: string[] = [];
  let part = '';
  let count = 0;
  for (const sentence of text.split(END).flatMap((sentence) => cut(sentence, charactersMax))) {
    if (part !== '' && (part.length + 1 + sentence.length > charactersMax || count >= sentencesMax)) {
      parts.push(part);
      part = '';
      count = 0;
    }
    part = part === '' ? sentence : `${part} ${sentence}`;
    count++;
  }
  if (part.trim() !== '') parts.push(part);
  return parts;
}

/** A sentence without an end is cut behind a word, or anywhere. */
function cut(sentence: string, charactersMax: number): string[] {
  const size = Math.max(1, Math.floor(charactersMax));
  const pieces: string[] = [];
  let at = 0;
  while (sentence.length - at > size) {
    const space = sentence.lastIndexOf(' ', at + size);
    const end = space > at ? space : at + size;
    // Never between the halves of one character.
    const whole = /[\ud800-\udbff]/.test(sentence[end - 1] ?? '') ? end + 1 : end;
    pieces.push(sentence.slice(at, whole));
    at = space > at ? whole + 1 : whole;
  }
  pieces.push(sentence.slice(at));
  return pieces.filter((piece) => piece.trim() !== '');
}

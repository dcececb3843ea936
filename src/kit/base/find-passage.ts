const PASSAGE_CHARACTERS = 120;

/** The words around the first place of a JSON value that has the text, on one line; names of members do not count. */
export function findPassage(value: unknown, text: string): string | undefined {
  const sought = text.toLowerCase();
  for (const part of stringsOf(value)) {
    const at = part.toLowerCase().indexOf(sought);
    if (at < 0) continue;
    const from = Math.max(0, at - Math.floor(PASSAGE_CHARACTERS / 3));
    return `${from > 0 ? '… ' : ''}${onOneLine(part.slice(from, from + PASSAGE_CHARACTERS))}`;
  }
  return undefined;
}

export function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* stringsOf(inner);
}

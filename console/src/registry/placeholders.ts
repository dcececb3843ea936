const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g;

/** The names in double braces, in their order, each once. */
export function variablesOf(content: string): string[] {
  return [...new Set([...content.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** The text in pieces: each is plain, or a variable with its value; one that has none yet stays as it is written. */
export function piecesOf(content: string, values: Record<string, string>): { text: string; variable?: string }[] {
  const pieces: { text: string; variable?: string }[] = [];
  let from = 0;
  for (const match of content.matchAll(PLACEHOLDER)) {
    const [whole, name = ''] = match;
    // A variable may have the name of something that every object has.
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (match.index > from) pieces.push({ text: content.slice(from, match.index) });
    pieces.push({ text: value || whole, variable: name });
    from = match.index + whole.length;
  }
  if (from < content.length) pieces.push({ text: content.slice(from) });
  return pieces;
}

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g;

/** The distinct names in double braces, in order. */
export function variablesOf(content: string): string[] {
  return [...new Set([...content.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Splits the text into plain pieces and variables; a variable without a value stays as written. */
export function piecesOf(content: string, values: Record<string, string>): { text: string; variable?: string }[] {
  const pieces: { text: string; variable?: string }[] = [];
  let from = 0;
  for (const match of content.matchAll(PLACEHOLDER)) {
    const [whole, name = ''] = match;
    // A variable may have the name of an Object.prototype property.
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (match.index > from) pieces.push({ text: content.slice(from, match.index) });
    pieces.push({ text: value || whole, variable: name });
    from = match.index + whole.length;
  }
  if (from < content.length) pieces.push({ text: content.slice(from) });
  return pieces;
}

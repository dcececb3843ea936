/** A Markdown table whole, or, when it is longer than `wholeMax`, in parts that repeat its head. */
export function splitTable(text: string, charactersMax: number, wholeMax: number): string[] {
  if (text.length <= wholeMax) return [text];
  const [head = '', rule = '', ...rows] = text.split('\n');
  const isRuled = /^\|?[\s|:-]+$/.test(rule) && rule.includes('-');
  const top = isRuled && head.length + rule.length < charactersMax / 2 ? [head, rule] : [];
  const rest = isRuled ? (top.length > 0 ? rows : [head, ...rows]) : [head, rule, ...rows];
  const topLength = top.reduce((sum, line) => sum + line.length + 1, 0);
  const parts: string[] = [];
  let lines: string[] = [];
  let length = topLength;
  for (const row of rest.flatMap((line) => cutRow(line, charactersMax))) {
    if (lines.length > 0 && length + row.length > charactersMax) {
      parts.push([...top, ...lines].join('\n'));
      lines = [];
      length = topLength;
    }
    lines.push(row);
    length += row.length + 1;
  }
  if (lines.length > 0) parts.push([...top, ...lines].join('\n'));
  return parts;
}

function cutRow(row: string, charactersMax: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < row.length; at += charactersMax) pieces.push(row.slice(at, at + charactersMax).toWellFormed());
  return pieces;
}

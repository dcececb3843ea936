export type Lines = { count: number; model: string | undefined; problem: string | undefined };

/** Looks through a JSONL file before it is sent: each line must be an object with a body. */
export function readLines(text: string): Lines {
  let count = 0;
  let model: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    if (typeof read === 'string') return { count, model, problem: `Line ${index + 1} ${read}` };
    model ??= typeof read.model === 'string' ? read.model : undefined;
    count += 1;
  }
  return { count, model, problem: count === 0 ? 'The file has no requests.' : undefined };
}

function readLine(line: string): Record<string, unknown> | string {
  try {
    const { body } = JSON.parse(line) as { body?: unknown };
    return typeof body === 'object' && body !== null ? { ...body } : 'has no "body" with the request.';
  } catch {
    return 'is not JSON.';
  }
}

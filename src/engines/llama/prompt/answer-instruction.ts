import type { ChatRequest } from '../../engine.ts';

/** What the model is told about the form of its answer; the grammar enforces it, the words make it sensible. */
export function answerInstruction({ format }: ChatRequest): string | undefined {
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return 'Answer with one JSON object and nothing else.';
  const about = format.description ? ` (${format.description})` : '';
  return `Answer with JSON for "${format.name}"${about} that follows this schema:\n${JSON.stringify(format.schema)}`;
}

import type { ChatRequest } from '../../engine.ts';

/** Describes the response format to the model. The grammar enforces it; the words make the content sensible. */
export function answerInstruction({ format }: ChatRequest): string | undefined {
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return 'Answer with one JSON object and nothing else.';
  const about = format.description ? ` (${format.description})` : '';
  return `Answer with JSON for "${format.name}"${about} that follows this schema:\n${JSON.stringify(format.schema)}`;
}

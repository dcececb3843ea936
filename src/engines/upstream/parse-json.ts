import { type JsonLimits, scanJson } from '../../kit/http/index.ts';
import { engineErrors } from '../errors.ts';
import { COUNTED_FROM_CHARACTERS } from './limits.ts';

/** A JSON object of a server; anything else is undefined. A long text is counted before it is built. */
export function parseObject(text: string, limits: JsonLimits): Record<string, unknown> | undefined {
  if (text.length > COUNTED_FROM_CHARACTERS && 'limit' in scanJson(Buffer.from(text), limits))
    throw engineErrors.upstream_answer_too_large();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // The text itself is never shown.
  }
  return undefined;
}

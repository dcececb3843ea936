import { InvalidPayload } from './errors.ts';
import type { Json } from './protocol.ts';

/**
 * The value as the history will keep it, and a copy: code that reads it back later reads the same, and code that changes
 * its object afterwards changes nothing that was said. `undefined` is kept as null.
 */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new InvalidPayload(`A value cannot be written as JSON: ${(error as Error).message}`);
  }
  return text === undefined ? null : (JSON.parse(text) as Json);
}

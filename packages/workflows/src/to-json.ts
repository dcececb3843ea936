import { InvalidPayload } from './errors.ts';
import type { Json } from './protocol.ts';

/** A JSON copy of a value, as the history stores it: later changes of the object have no effect. `undefined` is null. */
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

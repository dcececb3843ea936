import type { z } from 'zod';
import { ValidationFailed } from './errors.ts';
import { toValidationItems } from './validation-errors.ts';

/** Checks a message of a WebSocket as a request body is checked. */
export function parseMessage<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ValidationFailed(toValidationItems(result.error, 'body', input, schema));
}

import { z } from 'zod';

/** Zod's option to apply types and defaults, and no check. */
const WITHOUT_CHECKS = { async: false, skipChecks: true } as z.core.ParseContextInternal;

/**
 * Parses what was accepted before, by an older program or from a model: a maximum that came later does not refuse it. A
 * wrong type throws.
 */
export function parseStored<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const payload = schema._zod.run({ value, issues: [] }, WITHOUT_CHECKS);
  if (payload instanceof Promise) throw new z.core.$ZodAsyncError();
  if (payload.issues.length > 0) return schema.parse(value);
  return payload.value as z.output<T>;
}

import { z } from 'zod';
import type { Alternative } from './normalise-schema.ts';

const limitKeys = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
] as const;

/** The twin uses the format date-time, which requires an offset; the official Python SDK sends times without one. */
const TIME_WITH_OR_WITHOUT_OFFSET = z.iso.datetime({ offset: true, local: true }).def.pattern?.source;

/** The limits of a schema in one notation, without those that every implementation has anyway. */
export function limitsOf({ type, schema }: Alternative): Record<string, number | string> {
  const limits: Record<string, number | string> = {};
  for (const key of limitKeys) {
    const value = schema[key];
    if (value !== undefined) limits[key] = value;
  }
  // Zod generates a pattern for a format; the twin names the format alone.
  if (schema.format !== undefined || schema.pattern === TIME_WITH_OR_WITHOUT_OFFSET) delete limits.pattern;
  for (const key of ['minLength', 'minItems']) if (limits[key] === 0) delete limits[key];
  if (type !== 'integer') return limits;
  return integerLimits(limits, schema.format);
}

function integerLimits(given: Record<string, number | string>, format: string | undefined) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...limits } = given;
  const lower = [minimum, typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : undefined];
  const upper = [maximum, typeof exclusiveMaximum === 'number' ? exclusiveMaximum - 1 : undefined];
  if (format === 'int32') {
    lower.push(-(2 ** 31));
    upper.push(2 ** 31 - 1);
  }
  const isNumber = (value: unknown) => typeof value === 'number';
  const least = Math.max(...lower.filter(isNumber));
  const most = Math.min(...upper.filter(isNumber));
  // JSON has no exact numbers beyond the safe integers, so those bounds are no intended limits.
  if (least > Number.MIN_SAFE_INTEGER) limits.minimum = least;
  if (most < Number.MAX_SAFE_INTEGER) limits.maximum = most;
  return limits;
}

import { z } from 'zod';

/**
 * Bounds the texts and lists of a union from outside: a check inside a branch would rename the branch in the `loc` of its
 * errors. The branches document their maxima with `meta`.
 */
export function limitUnion<T extends z.ZodType>(union: T, max: { characters: number; items?: number }): T {
  return union.check(({ value, issues }) => {
    const refuse = (origin: 'string' | 'array', maximum: number, input: unknown, path: PropertyKey[]) =>
      issues.push({ code: 'too_big', origin, maximum, inclusive: true, input, path });
    if (typeof value === 'string' && value.length > max.characters) refuse('string', max.characters, value, []);
    if (!Array.isArray(value)) return;
    if (value.length > (max.items ?? Number.POSITIVE_INFINITY)) refuse('array', max.items ?? 0, value, []);
    else
      for (const [at, element] of value.entries())
        if (typeof element === 'string' && element.length > max.characters)
          refuse('string', max.characters, element, [at]);
  });
}

/** A text of a union that `limitUnion` bounds. */
export function limitedText(characters: number): z.ZodString {
  return z.string().meta({ maxLength: characters });
}

/** A check for values without a schema of their own, or whose parts add up. */
export function limitJson(characters: number) {
  return ({ value, issues }: z.core.ParsePayload): void => {
    if ((JSON.stringify(value) ?? '').length <= characters) return;
    const message = `this may have at most ${characters} characters as JSON`;
    issues.push({ code: 'custom', message, input: undefined, path: [] });
  };
}

/** A JSON object that is kept and shown in lists. */
export function limitedObject({ keys, characters }: { keys: number; characters: number }) {
  return z
    .record(z.string().max(KEY_CHARACTERS_MAX), z.unknown())
    .refine((value) => Object.keys(value).length <= keys, { error: `this may have at most ${keys} keys` })
    .check(limitJson(characters))
    .meta({ maxProperties: keys });
}

const KEY_CHARACTERS_MAX = 256;

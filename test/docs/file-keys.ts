import type { z } from 'zod';

/** `required`, `none` (optional and without a value), or the default value. */
export type KeyDefault = { kind: 'required' | 'none' | 'by engine' } | { kind: 'value'; value: unknown };

type Def = {
  type: string;
  innerType?: z.core.$ZodType;
  defaultValue?: unknown;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  options?: z.core.$ZodType[];
};

/** Every key that a schema accepts, at any depth, with its default: `models[].price.prompt`. */
export function fileKeys(schema: z.core.$ZodType, prefix = ''): Map<string, KeyDefault> {
  const { inner } = unwrap(schema);
  const { shape = {}, element, options } = inner._zod.def as Def;
  if (element) return fileKeys(element, `${prefix}[]`);
  if (options) return merge(options.map((option) => fileKeys(option, prefix)));
  const keys = new Map<string, KeyDefault>();
  for (const [name, child] of Object.entries(shape)) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    keys.set(path, unwrap(child).default);
    for (const [key, value] of fileKeys(child, path)) keys.set(key, value);
  }
  return keys;
}

/** Alternatives share most keys; a default that differs between them depends on the engine. */
function merge(alternatives: Map<string, KeyDefault>[]): Map<string, KeyDefault> {
  const merged = new Map<string, KeyDefault>();
  for (const [key, value] of alternatives.flatMap((keys) => [...keys])) {
    const known = merged.get(key);
    merged.set(key, known && JSON.stringify(known) !== JSON.stringify(value) ? { kind: 'by engine' } : value);
  }
  return merged;
}

function unwrap(schema: z.core.$ZodType): { inner: z.core.$ZodType; default: KeyDefault } {
  const { type, innerType, defaultValue } = schema._zod.def as Def;
  if (!innerType) return { inner: schema, default: { kind: 'required' } };
  const { inner } = unwrap(innerType);
  return { inner, default: type === 'optional' ? { kind: 'none' } : { kind: 'value', value: defaultValue } };
}

import type { Json } from '../../../../packages/workflows/src/protocol.ts';

const KEYS_MAX = 20;
const VALUE_CHARACTERS_MAX = 8192;

/** The scalar values at these dotted paths of the input. */
export function searchKeysOf(paths: string[], input: Json): [key: string, value: string][] {
  return paths.slice(0, KEYS_MAX).flatMap((path): [string, string][] => {
    const value = valueAt(input, path.split('.'));
    return value === undefined ? [] : [[path, value.slice(0, VALUE_CHARACTERS_MAX)]];
  });
}

function valueAt(input: Json, names: string[]): string | undefined {
  let value: Json | undefined = input;
  for (const name of names) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

import type { JsonSchema } from '../../engine.ts';

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples', '$defs', 'definitions', '$schema', '$id']);

/** Whether a schema only describes and constrains nothing. */
export function isAnnotation(schema: JsonSchema): boolean {
  return Object.keys(schema).every((key) => ANNOTATIONS.has(key));
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** What a local reference (`#/$defs/Point`) points to. */
export function resolveReference(root: JsonSchema, pointer: string): unknown {
  if (pointer === '#') return root;
  if (!pointer.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of pointer.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** A schema together with its branches as one, for keywords that hold at the same time. */
export function combineSchemas(schema: JsonSchema, keyword: string, branches: unknown[], root: JsonSchema): JsonSchema {
  const { [keyword]: _, ...own } = schema;
  return branches.filter(isSchema).reduce((whole, branch) => merge(whole, inline(branch, root)), own);
}

function inline(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  const { $ref, ...beside } = schema;
  const target = resolveReference(root, $ref);
  return isSchema(target) && typeof target.$ref !== 'string' ? merge(target, beside) : beside;
}

function merge(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...a, ...b };
  if (isSchema(a.properties) && isSchema(b.properties)) merged.properties = { ...a.properties, ...b.properties };
  if (Array.isArray(a.required) && Array.isArray(b.required))
    merged.required = [...new Set([...a.required, ...b.required])];
  for (const key of ['minimum', 'minLength', 'minItems', 'exclusiveMinimum']) bound(Math.max, key);
  for (const key of ['maximum', 'maxLength', 'maxItems', 'exclusiveMaximum']) bound(Math.min, key);
  return merged;

  function bound(choose: (...values: number[]) => number, key: string): void {
    const [left, right] = [numberOf(a[key]), numberOf(b[key])];
    if (left !== undefined && right !== undefined) merged[key] = choose(left, right);
  }
}

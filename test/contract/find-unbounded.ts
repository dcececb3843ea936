import { z } from 'zod';
import type { AnyRoute } from '../../src/kit/http/index.ts';

/** Texts of these forms have a length of their own. */
const BOUNDED_FORMATS = new Set(['uuid', 'guid', 'date', 'datetime', 'email', 'time']);

/** A place in a request body whose size nothing but the body limit bounds. */
export type Unbounded = { at: string; kind: 'text' | 'list' | 'record' | 'any'; route: string };

/** Every text, list, record and free value of the request bodies that has no maximum. */
export function findUnbounded(routes: readonly AnyRoute[]): Unbounded[] {
  const found = new Map<string, Unbounded>();
  for (const { method, path, body } of routes) {
    if (!body) continue;
    const route = `${method} ${path}`;
    for (const { at, kind } of walk(body, route, new Set())) found.set(`${kind} ${at}`, { at, kind, route });
  }
  return [...found.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
}

type Place = Omit<Unbounded, 'route'>;

function* walk(schema: z.core.$ZodType, at: string, open: Set<z.core.$ZodType>): Generator<Place> {
  if (open.has(schema)) return;
  const id = z.globalRegistry.get(schema)?.id;
  const name = typeof id === 'string' ? id : at;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const inside = new Set(open).add(schema);
  const into = (child: z.core.$ZodType, part = '') => walk(child, name + part, inside);
  switch (def.type) {
    case 'string':
      if (!hasMaximum(schema)) yield { at: name, kind: 'text' };
      return;
    case 'unknown':
      yield { at: name, kind: 'any' };
      return;
    case 'array':
      if (!hasMaximum(schema)) yield { at: name, kind: 'list' };
      yield* into(def.element, '[]');
      return;
    case 'record':
      if (isFree(def.valueType)) {
        if (!hasMaximum(schema)) yield { at: name, kind: 'any' };
        return;
      }
      if (!hasMaximum(schema)) yield { at: name, kind: 'record' };
      yield* into(def.keyType, '{key}');
      yield* into(def.valueType, '{}');
      return;
    case 'object':
      for (const [key, child] of Object.entries(def.shape)) yield* into(child, `.${key}`);
      if (def.catchall) yield* into(def.catchall, '{}');
      return;
    case 'union':
      for (const option of def.options) yield* into(option);
      return;
    case 'intersection':
      yield* into(def.left);
      yield* into(def.right);
      return;
    case 'tuple':
      for (const item of def.items) yield* into(item, '[]');
      return;
    case 'pipe':
      yield* into((def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in);
      return;
    case 'lazy':
      yield* into((schema as z.core.$ZodLazy)._zod.innerType);
      return;
    default:
      if ('innerType' in def) yield* into(def.innerType);
  }
}

function isFree(schema: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === 'unknown';
}

function hasMaximum(schema: z.core.$ZodType): boolean {
  const { bag, def } = schema._zod as unknown as {
    bag: Record<string, unknown>;
    def: { checks?: z.core.$ZodCheck[]; format?: string };
  };
  const { maxLength, maxItems, maxProperties } = z.globalRegistry.get(schema) ?? {};
  // Where a rule with words of its own enforces the maximum, the schema only documents it.
  if ((maxLength ?? maxItems ?? maxProperties) !== undefined) return true;
  if (bag.maximum !== undefined || bag.length !== undefined || BOUNDED_FORMATS.has(def.format ?? '')) return true;
  return (def.checks ?? []).some(({ _zod }) => ['max_length', 'length_equals'].includes(_zod.def.check));
}

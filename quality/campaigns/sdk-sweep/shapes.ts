import type { z } from 'zod';
import type { Schema, SchemaOrBoolean } from '../../../test/contract/json-schema.ts';

/**
 * One alternative of a value on the wire, as far as names of fields and fixed values go. Children are thunks, because
 * schemas refer to themselves.
 */
export type Shape =
  | { kind: 'any' }
  | { kind: 'object'; fields: Map<string, () => Shape[]>; rest?: () => Shape[] }
  | { kind: 'list'; item: () => Shape[] }
  /** `values` where only these are allowed. */
  | { kind: 'scalar'; values?: readonly unknown[] };

const ANY: Shape = { kind: 'any' };
/** How the Python SDK says that a field was left out. */
const LEFT_OUT = '#/$defs/Unset';

export function shapesOfJson(schema: SchemaOrBoolean, defs: Record<string, Schema>): Shape[] {
  if (typeof schema === 'boolean') return [ANY];
  const { $ref, const: fixed, enum: values, properties, additionalProperties: rest, items } = schema;
  if ($ref === LEFT_OUT) return [];
  if ($ref !== undefined) return shapesOfJson(defs[$ref.replace('#/$defs/', '')] ?? true, defs);
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (parts) return parts.flatMap((part) => shapesOfJson(part, defs));
  if (fixed !== undefined) return [{ kind: 'scalar', values: [fixed] }];
  if (values) return [{ kind: 'scalar', values: values.filter((value) => value !== null) }];
  switch (schema.type) {
    case 'null':
      return [];
    case 'array':
      return [{ kind: 'list', item: () => shapesOfJson(items ?? true, defs) }];
    case 'object': {
      const fields = Object.entries(properties ?? {}).map(
        ([name, field]) => [name, () => shapesOfJson(field, defs)] as const,
      );
      const isOpen = rest !== undefined && rest !== false && (rest !== true || fields.length === 0);
      return [{ kind: 'object', fields: new Map(fields), ...(isOpen ? { rest: () => shapesOfJson(rest, defs) } : {}) }];
    }
    case undefined:
      return [ANY];
    default:
      return [{ kind: 'scalar' }];
  }
}

/** `outbound` reads what a schema of the TypeScript SDK sends: it renames fields at the end of a pipe. */
type Side = 'input' | 'output' | 'outbound';

export function shapesOfZod(schema: z.core.$ZodType, side: Side): Shape[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const lazily = (inner: z.core.$ZodType) => () => shapesOfZod(inner, side);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return shapesOfZod(def.innerType, side);
    case 'lazy':
      return shapesOfZod(def.getter(), side);
    case 'pipe':
      return shapesOfPipe(def, side);
    case 'union':
      return def.options.flatMap((option) => shapesOfZod(option, side));
    case 'intersection':
      return intersect(shapesOfZod(def.left, side), shapesOfZod(def.right, side));
    case 'array':
      return [{ kind: 'list', item: lazily(def.element) }];
    case 'tuple':
      return [{ kind: 'list', item: () => def.items.flatMap((item) => shapesOfZod(item, side)) }];
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]) => [name, lazily(field)] as const);
      const isOpen = def.catchall && def.catchall._zod.def.type !== 'never';
      return [
        { kind: 'object', fields: new Map(fields), ...(isOpen && def.catchall ? { rest: lazily(def.catchall) } : {}) },
      ];
    }
    case 'record':
      return [{ kind: 'object', fields: new Map(), rest: lazily(def.valueType) }];
    case 'enum':
      return [{ kind: 'scalar', values: Object.values(def.entries) }];
    case 'literal':
      return [{ kind: 'scalar', values: def.values }];
    case 'null':
    case 'undefined':
    case 'void':
    case 'never':
      return [];
    case 'any':
    case 'unknown':
    case 'custom':
    case 'transform':
      return [ANY];
    default:
      return [{ kind: 'scalar' }];
  }
}

function shapesOfPipe(def: z.core.$ZodPipeDef, side: Side): Shape[] {
  const isPreprocessed = def.in._zod.def.type === 'transform';
  if (isPreprocessed) return shapesOfZod(def.out, side);
  const shapes = shapesOfZod(side === 'output' && def.out._zod.def.type !== 'transform' ? def.out : def.in, side);
  const out = (def.out as z.core.$ZodTypes)._zod.def;
  return side === 'outbound' && out.type === 'transform' ? rename(shapes, String(out.transform)) : shapes;
}

/** The transform of the SDK is `remap(value, { topP: "top_p" })`; its source is the only place of the names. */
function rename(shapes: Shape[], source: string): Shape[] {
  const names = new Map(
    [...source.matchAll(/"?(\w+)"?: ["']([^"']+)["']/g)].map(([, from = '', to = '']) => [from, to]),
  );
  return shapes.map((shape) =>
    shape.kind === 'object'
      ? { ...shape, fields: new Map([...shape.fields].map(([name, field]) => [names.get(name) ?? name, field])) }
      : shape,
  );
}

function intersect(left: Shape[], right: Shape[]): Shape[] {
  return left.map((shape) => {
    if (shape.kind !== 'object') return shape;
    const fields = new Map(shape.fields);
    for (const other of right)
      if (other.kind === 'object') for (const [name, field] of other.fields) fields.set(name, field);
    return { ...shape, fields };
  });
}

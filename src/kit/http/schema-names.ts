import { z } from 'zod';

/** The schema of a value, without the wrappers for optional and default. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let current = schema;
  for (;;) {
    const def = defOf(current);
    switch (def.type) {
      case 'optional':
      case 'nullable':
      case 'default':
      case 'prefault':
      case 'nonoptional':
      case 'readonly':
      case 'catch':
        current = def.innerType;
        break;
      case 'lazy':
        current = (current as z.core.$ZodLazy)._zod.innerType;
        break;
      case 'pipe':
        current = defOf(def.in).type === 'transform' ? def.out : def.in;
        break;
      default:
        return current;
    }
  }
}

export function defOf(schema: z.core.$ZodType) {
  return (schema as z.core.$ZodTypes)._zod.def;
}

export function childOf(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  const def = defOf(unwrap(schema));
  switch (def.type) {
    case 'object':
      return Object.hasOwn(def.shape, key) ? def.shape[key as string] : def.catchall;
    case 'array':
      return def.element;
    case 'tuple':
      return def.items[Number(key)] ?? def.rest ?? undefined;
    case 'record':
      return def.valueType;
    case 'intersection':
      return childOf(def.left, key) ?? childOf(def.right, key);
    default:
      return undefined;
  }
}

export function discriminatorOf(schema: z.core.$ZodType): string | undefined {
  return (defOf(schema) as Partial<z.core.$ZodDiscriminatedUnionDef>).discriminator;
}

export function isPlainUnion(schema: z.core.$ZodType): boolean {
  return defOf(schema).type === 'union' && discriminatorOf(schema) === undefined;
}

/** The narrowest integer format of a number schema (`safeint`, `int32`, …), or undefined for a float. */
export function intFormatOf(schema: z.core.$ZodType): string | undefined {
  const def = defOf(schema);
  if (def.type !== 'number') return undefined;
  const defs = [def, ...(def.checks ?? []).map((check) => check._zod.def)] as { format?: string }[];
  const formats = defs.map(({ format }) => format).filter((format) => format?.includes('int'));
  return formats.find((format) => format?.endsWith('32')) ?? formats[0];
}

export function stringFormatOf(schema: z.core.$ZodType): string | undefined {
  const def = defOf(schema);
  return def.type === 'string' ? (def as { format?: string }).format : undefined;
}

/** What pydantic calls a branch of a union when it writes it into `loc`. */
export function nameOf(schema: z.core.$ZodType, depth = 0): string {
  // A recursive schema has no finite name; pydantic writes three dots there as well.
  if (depth > 4) return '...';
  const name = (inner: z.core.$ZodType) => nameOf(inner, depth + 1);
  const core = unwrap(schema);
  const def = defOf(core);
  if (depth > 0 && acceptsNull(schema)) return `nullable[${nameOf(core, depth)}]`;
  switch (def.type) {
    case 'string':
      return nameOfString(core);
    case 'number': {
      const format = intFormatOf(core);
      return `${isConstrained(core) || format?.endsWith('32') ? 'constrained-' : ''}${format ? 'int' : 'float'}`;
    }
    case 'boolean':
      return 'bool';
    case 'null':
      return 'none';
    case 'array':
      return `list[${name(def.element)}]`;
    case 'tuple':
      return `tuple[${def.items.map(name).join(', ')}]`;
    case 'record':
      return `dict[${name(def.keyType)},${name(def.valueType)}]`;
    case 'literal':
      return `literal[${def.values.map(pythonRepr).join(',')}]`;
    case 'enum':
      return `enum[${idOf(core) ?? 'Enum'}]`;
    case 'object':
      return idOf(core) ?? 'model';
    case 'union':
      return nameOfUnion(core, def.options, name);
    default:
      return 'any';
  }
}

function nameOfString(schema: z.core.$ZodType): string {
  const format = stringFormatOf(schema);
  if (format === 'guid') return 'uuid';
  if (format === 'uuid' || format === 'date' || format === 'datetime' || format === 'url') return format;
  return format !== undefined || isConstrained(schema) ? 'constrained-str' : 'str';
}

function nameOfUnion(
  schema: z.core.$ZodType,
  options: readonly z.core.$ZodType[],
  name: (schema: z.core.$ZodType) => string,
): string {
  const discriminator = discriminatorOf(schema);
  if (discriminator === undefined) {
    const names = options.filter((option) => !isNothing(option)).map(name);
    return names.length === 1 ? (names[0] ?? '') : `union[${names.join(',')}]`;
  }
  // A model is listed once for each of its tags.
  const names = options.flatMap((option) =>
    Array(option._zod.propValues?.[discriminator]?.size ?? 1).fill(name(option)),
  );
  return `tagged-union[${names.join(',')}]`;
}

export function isNothing(schema: z.core.$ZodType): boolean {
  const { type } = defOf(schema);
  return type === 'null' || type === 'undefined' || type === 'void';
}

function acceptsNull(schema: z.core.$ZodType): boolean {
  const def = defOf(schema);
  if (def.type === 'nullable') return true;
  return def.type === 'union' && def.options.some((option) => defOf(option).type === 'null');
}

function isConstrained(schema: z.core.$ZodType): boolean {
  return (defOf(schema).checks ?? []).some(
    ({ _zod: { def } }) => def.check !== 'custom' && def.check !== 'number_format',
  );
}

// A refined model is still the same model: the copy with the check has no id of its own but remembers its parent.
function idOf(schema: z.core.$ZodType): string | undefined {
  for (let current: z.core.$ZodType | undefined = schema; current; current = current._zod.parent) {
    const id = z.globalRegistry.get(current)?.id;
    if (id !== undefined) return id;
  }
  return undefined;
}

/** A value as Python would print it in a message. */
export function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value !== 'string') return String(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return quote + escaped.replaceAll(quote, `\\${quote}`) + quote;
}

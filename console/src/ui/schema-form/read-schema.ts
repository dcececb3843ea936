import type { Field, JsonSchema, Property } from './fields.ts';

type Reading = { root: JsonSchema; refs: readonly string[] };

/** Derives the fields of a form from a JSON Schema; anything unsupported becomes a JSON field. */
export function readSchema(schema: JsonSchema): Field {
  return read(schema, { root: schema, refs: [] });
}

function read(given: unknown, reading: Reading): Field {
  if (!isObject(given)) return { ...shownOf({}), kind: 'json' };
  if (typeof given.$ref === 'string') return readReference(given, given.$ref, reading);
  if (Array.isArray(given.allOf)) return readAll(given, reading);
  if ('const' in given) return { ...shownOf(given), kind: 'constant', value: given.const };
  if (Array.isArray(given.enum)) return choiceOf(given, given.enum.map(optionOf));
  const alternatives = given.oneOf ?? given.anyOf;
  if (Array.isArray(alternatives)) return readAlternatives(given, alternatives, reading);
  if (Array.isArray(given.type)) {
    const types = given.type.map((type: unknown) => ({ ...given, type, title: undefined, default: undefined }));
    return readAlternatives(given, types, reading);
  }
  return readType(given, reading);
}

function readReference(given: JsonSchema, ref: string, reading: Reading): Field {
  const target = find(reading.root, ref);
  // A recursive schema has no end, so recursion becomes a JSON field.
  if (!isObject(target) || reading.refs.includes(ref)) return { ...shownOf(given), kind: 'json' };
  const { $ref: _ref, ...beside } = given;
  return read({ ...target, ...beside }, { ...reading, refs: [...reading.refs, ref] });
}

function find(root: JsonSchema, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  const parts = ref.slice(1).split('/').slice(1);
  return parts.reduce<unknown>(
    (at, part) => (isObject(at) ? at[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    root,
  );
}

/** Merges the parts of allOf: all properties, and the last value of other keywords. */
function readAll({ allOf, ...beside }: JsonSchema, reading: Reading): Field {
  const parts = (allOf as unknown[]).map((part) => resolve(part, reading)).filter(isObject);
  const merged: Record<string, unknown> = {};
  for (const part of [...parts, beside]) {
    const { properties, required, ...rest } = part;
    Object.assign(merged, rest);
    if (isObject(properties)) merged.properties = { ...(merged.properties as object | undefined), ...properties };
    if (Array.isArray(required)) merged.required = [...((merged.required as unknown[] | undefined) ?? []), ...required];
  }
  return read(merged, reading);
}

function resolve(part: unknown, { root }: Reading): unknown {
  return isObject(part) && typeof part.$ref === 'string' ? find(root, part.$ref) : part;
}

function readAlternatives(given: JsonSchema, alternatives: readonly unknown[], reading: Reading): Field {
  const { oneOf: _one, anyOf: _any, ...outer } = given;
  const others = alternatives.filter((part) => !isNull(part));
  const isNullable = others.length < alternatives.length;
  const words = { ...shownOf(outer), ...(isNullable ? { isNullable } : {}) };
  const [only] = others;
  if (others.length === 1) {
    const field = read(only, reading);
    return {
      ...field,
      title: words.title ?? field.title,
      description: words.description ?? field.description,
      initial: words.initial ?? field.initial,
      isNullable: isNullable || field.isNullable,
    };
  }
  const fields = others.map((part) => read(part, reading));
  const constants = fields.flatMap((field) => (field.kind === 'constant' ? [field] : []));
  if (fields.length > 0 && constants.length === fields.length)
    return {
      ...words,
      kind: 'choice',
      options: constants.map(({ title, value }) => ({ label: title ?? optionOf(value).label, value })),
    };
  if (fields.length === 0) return { ...words, kind: 'json' };
  return { ...words, kind: 'variants', options: fields.map((field, at) => ({ label: nameOf(field, at), field })) };
}

/** The label of a variant: its title, its discriminating constant or its type. */
function nameOf(field: Field, at: number): string {
  if (field.title !== undefined) return field.title;
  if (field.kind === 'object') {
    const mark = field.properties.find((property) => property.field.kind === 'constant');
    if (mark?.field.kind === 'constant') return String(mark.field.value);
    return `Option ${at + 1}`;
  }
  const names: Record<Exclude<Field['kind'], 'object'>, string> = {
    text: 'Text',
    number: 'Number',
    boolean: 'Yes or no',
    choice: 'Choice',
    constant: 'Fixed value',
    list: 'List',
    variants: `Option ${at + 1}`,
    json: 'JSON',
  };
  return names[field.kind];
}

function readType(given: JsonSchema, reading: Reading): Field {
  const shown = shownOf(given);
  switch (given.type ?? (isObject(given.properties) ? 'object' : undefined)) {
    case 'string':
      return {
        ...shown,
        kind: 'text',
        format: textOf(given.format),
        minLength: numberOf(given.minLength),
        maxLength: numberOf(given.maxLength),
        pattern: textOf(given.pattern),
      };
    case 'integer':
    case 'number':
      return {
        ...shown,
        kind: 'number',
        isInteger: given.type === 'integer',
        min: boundOf(given.minimum),
        max: boundOf(given.maximum),
        above: boundOf(given.exclusiveMinimum),
        below: boundOf(given.exclusiveMaximum),
        multipleOf: numberOf(given.multipleOf),
      };
    case 'boolean':
      return { ...shown, kind: 'boolean' };
    case 'array':
      return isObject(given.items) && !('prefixItems' in given)
        ? {
            ...shown,
            kind: 'list',
            item: read(given.items, reading),
            min: numberOf(given.minItems) ?? 0,
            max: numberOf(given.maxItems),
          }
        : { ...shown, kind: 'json' };
    case 'object': {
      const properties = propertiesOf(given, reading);
      // Without named properties any name is valid, so JSON is the better input.
      return properties.length > 0 || given.additionalProperties === false
        ? { ...shown, kind: 'object', properties }
        : { ...shown, kind: 'json' };
    }
    default:
      return { ...shown, kind: 'json' };
  }
}

function propertiesOf({ properties, required }: JsonSchema, reading: Reading): Property[] {
  if (!isObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, part]) => ({
    name,
    isRequired: needed.has(name),
    field: read(part, reading),
  }));
}

function choiceOf(given: JsonSchema, options: { label: string; value: unknown }[]): Field {
  const values = options.filter(({ value }) => value !== null);
  const isNullable = values.length < options.length;
  return { ...shownOf(given), ...(isNullable ? { isNullable } : {}), kind: 'choice', options: values };
}

function optionOf(value: unknown): { label: string; value: unknown } {
  return { label: typeof value === 'string' ? value : JSON.stringify(value), value };
}

function shownOf(given: JsonSchema) {
  return {
    title: textOf(given.title),
    description: textOf(given.description),
    isNullable: given.nullable === true,
    initial: given.default,
  };
}

function isNull(part: unknown): boolean {
  return isObject(part) && (part.type === 'null' || ('const' in part && part.const === null));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Schemas use the safe integer bounds for "no bound". */
function boundOf(value: unknown): number | undefined {
  const bound = numberOf(value);
  return bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}

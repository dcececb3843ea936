import type { Schema, SchemaOrBoolean, Scope } from './json-schema.ts';

/** One variant of a value, with every reference, union and intersection already resolved. */
export interface Alternative {
  type: string;
  schema: Schema;
  scope: Scope;
  /** The name of the component, when the schema referred to one. */
  component?: string | undefined;
}

/** A schema in the form in which two are compared: null separately, the rest as a list of alternatives. */
export interface Shape {
  alternatives: Alternative[];
  nullable: boolean;
  default: unknown;
}

const componentPrefix = '#/components/schemas/';
const defsPrefix = '#/$defs/';

const keysOfType: Record<string, readonly (keyof Schema)[]> = {
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  integer: ['format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
};
const structuralKeys = [...new Set(Object.values(keysOfType).flat()), 'type', 'enum', 'const'] as const;

export function shapeOf(schema: SchemaOrBoolean, scope: Scope): Shape {
  const expanded = joinEnums(expand(schema, scope));
  const anything = expanded.find(({ type }) => type === 'any');
  const nullable = anything !== undefined || expanded.some(({ type }) => type === 'null');
  const alternatives = anything ? [anything] : expanded.filter(({ type }) => type !== 'null');
  const value = defaultOf(schema, scope);
  // An optional field that defaults to null is equivalent to one without a default.
  return { alternatives, nullable, default: nullable && value === null ? undefined : value };
}

function expand(given: SchemaOrBoolean, outer: Scope): Alternative[] {
  const schema = given === true ? {} : given;
  if (schema === false) return [];
  const scope = schema.$defs ? { ...outer, defs: { ...outer.defs, ...schema.$defs } } : outer;
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const parts: Alternative[][] = [];
  if ($ref !== undefined) parts.push(expandReference($ref, scope));
  for (const member of allOf ?? []) parts.push(expand(member, scope));
  for (const union of [anyOf, oneOf]) {
    if (union) parts.push(union.flatMap((member) => expand(member, scope)));
  }
  if (parts.length === 0 || structuralKeys.some((key) => schema[key] !== undefined)) parts.push(expandOwn(own, scope));
  const all = parts.reduce((left, right) => left.flatMap((one) => right.map((other) => intersect(one, other))));
  return schema.nullable ? [...all, { type: 'null', schema: {}, scope }] : all;
}

function expandReference($ref: string, scope: Scope): Alternative[] {
  const { schema, scope: inner, component } = resolve($ref, scope);
  const alternatives = expand(schema, inner);
  if (alternatives.length !== 1) return alternatives;
  return alternatives.map((alternative) => ({ ...alternative, component: component ?? alternative.component }));
}

function resolve($ref: string, scope: Scope): { schema: Schema; scope: Scope; component?: string } {
  const component = $ref.startsWith(componentPrefix) ? $ref.slice(componentPrefix.length) : undefined;
  const local = $ref.startsWith(defsPrefix) ? scope.defs[$ref.slice(defsPrefix.length)] : undefined;
  if (local) return { schema: local, scope };
  const schema = component === undefined ? undefined : scope.document.components?.schemas?.[component];
  if (!schema || component === undefined) throw new Error(`the reference ${$ref} leads nowhere`);
  return { schema, scope: { document: scope.document, defs: {} }, component };
}

/** A schema without references and unions: one alternative for each type that it names or implies. */
function expandOwn(schema: Schema, scope: Scope): Alternative[] {
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const types = [schema.type ?? (values ? [...new Set(values.map(typeOfValue))] : impliedType(schema))].flat();
  // An enum may list null beside a type that does not: then null is among the values.
  if (values?.includes(null) && !types.includes('null')) types.push('null');
  return types.map((type) => {
    const kept: Schema = {};
    for (const key of keysOfType[type] ?? []) Object.assign(kept, key in schema ? { [key]: schema[key] } : {});
    const own = values?.filter((value) => fits(value, type));
    const allOfThem = type === 'boolean' && own?.includes(true) && own.includes(false);
    if (own && type !== 'null' && !allOfThem) kept.enum = own;
    return { type, schema: kept, scope };
  });
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function fits(value: unknown, type: string): boolean {
  const found = typeOfValue(value);
  return found === type || (found === 'number' && type === 'integer');
}

function impliedType(schema: Schema): string {
  const implied = ['object', 'array', 'string', 'number'].find((type) =>
    keysOfType[type]?.some((key) => schema[key] !== undefined),
  );
  return implied ?? 'any';
}

/** The intersection of both. The later one wins for a shared property, as it only ever narrows the earlier. */
function intersect(one: Alternative, other: Alternative): Alternative {
  if (one.type === 'any') return other;
  if (other.type === 'any') return one;
  const schema: Schema = { ...one.schema, ...other.schema };
  if (one.schema.properties && other.schema.properties) {
    schema.properties = { ...one.schema.properties, ...other.schema.properties };
  }
  if (one.schema.required && other.schema.required) {
    schema.required = [...new Set([...one.schema.required, ...other.schema.required])];
  }
  if (one.schema.additionalProperties === false) schema.additionalProperties = false;
  const scope = { document: other.scope.document, defs: { ...one.scope.defs, ...other.scope.defs } };
  return { type: other.type, schema, scope };
}

/** `anyOf` of constants and one `enum` of them are the same set of values. */
function joinEnums(alternatives: Alternative[]): Alternative[] {
  const joined: Alternative[] = [];
  for (const alternative of alternatives) {
    const isEnum = (other: Alternative) => other.type === alternative.type && other.schema.enum !== undefined;
    const earlier = alternative.schema.enum ? joined.findIndex(isEnum) : -1;
    const before = joined[earlier];
    if (!before) {
      joined.push(alternative);
      continue;
    }
    const values = [...new Set([...(before.schema.enum ?? []), ...(alternative.schema.enum ?? [])])];
    joined[earlier] = { type: before.type, schema: { ...before.schema, enum: values }, scope: before.scope };
  }
  return joined;
}

function defaultOf(schema: SchemaOrBoolean, scope: Scope): unknown {
  if (typeof schema === 'boolean') return undefined;
  if (schema.default !== undefined) return schema.default;
  const inner = schema.$defs ? { ...scope, defs: { ...scope.defs, ...schema.$defs } } : scope;
  if (schema.$ref !== undefined) {
    const target = resolve(schema.$ref, inner);
    return defaultOf(target.schema, target.scope);
  }
  return schema.allOf?.map((member) => defaultOf(member, inner)).find((value) => value !== undefined);
}

/** The part of JSON Schema that the OpenAPI document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  minimum?: number;
  minItems?: number;
  minLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

export function schemaReader(document: unknown): (schema: Schema) => Schema {
  return function resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema.allOf?.length === 1 ? resolve(schema.allOf[0] as Schema) : schema;
    const steps = schema.$ref.slice(2).split('/');
    return resolve(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as Schema);
  };
}

const TEXTS: Record<string, string> = {
  uuid: '0b7e4f1a-3c52-4d8e-9f60-1a2b3c4d5e6f',
  'date-time': '2026-01-01T00:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
};

/** An object with its required properties only. */
export function sampleOf(schema: Schema, resolve: (schema: Schema) => Schema): Record<string, unknown> {
  const value = exampleOf(schema, resolve, 0);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function exampleOf(given: Schema, resolve: (schema: Schema) => Schema, depth: number): unknown {
  const schema = resolve(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches?.[0] && depth < 6) return exampleOf(branches[0], resolve, depth + 1);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return TEXTS[schema.format ?? ''] ?? 'x'.repeat(Math.max(1, schema.minLength ?? 1));
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return false;
    case 'array':
      return schema.minItems && schema.items && depth < 6 ? [exampleOf(schema.items, resolve, depth + 1)] : [];
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {}, resolve, depth + 1)]),
      );
    default:
      return null;
  }
}

/** The parts of a JSON schema that the comparison reads; everything else (titles, examples, …) is ignored. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  nullable?: boolean;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, SchemaOrBoolean>;
  required?: string[];
  additionalProperties?: SchemaOrBoolean;
  items?: SchemaOrBoolean;
  prefixItems?: SchemaOrBoolean[];
  allOf?: SchemaOrBoolean[];
  anyOf?: SchemaOrBoolean[];
  oneOf?: SchemaOrBoolean[];
}

export type SchemaOrBoolean = Schema | boolean;

export type Content = Record<string, { schema?: SchemaOrBoolean }>;

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: SchemaOrBoolean;
  content?: Content;
}

export interface Operation {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, { content?: Content }>;
}

export interface OpenApiDocument {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, unknown> };
}

/** A `$ref` can only be resolved with its document and the `$defs` of the enclosing schemas. */
export interface Scope {
  document: OpenApiDocument;
  defs: Record<string, Schema>;
}

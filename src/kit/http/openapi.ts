import { z } from 'zod';
import { type DocumentedError, errorsOf, type ValidationSchemas } from './document-errors.ts';
import type { ErrorStyles } from './error-bodies.ts';
import { isOptional } from './parse-request.ts';
import type { AnyRoute } from './route.ts';
import type { Surface } from './scope.ts';

type Json = Record<string, unknown>;

const BINARY: Json = { type: 'string', format: 'binary' };

export type OpenApiInfo = {
  title: string;
  version: string;
  description: string;
  securitySchemes: Record<string, Json>;
  /** The security scheme of each surface. */
  security: Record<Surface, string[]>;
  validationSchemas: ValidationSchemas;
  errorStyles: ErrorStyles;
};

/** The OpenAPI document, from the same table that routes requests. */
export function buildOpenApi(allRoutes: AnyRoute[], info: OpenApiInfo): Json {
  const routes = allRoutes.filter(({ hidden }) => !hidden);
  const registry = z.registry<{ id: string }>();
  // Most routes have the same errors, and converting a schema takes long.
  const collected = new Set<z.ZodType>();
  const collect = (schema: z.ZodType | undefined) => {
    if (!schema || collected.has(schema)) return;
    collected.add(schema);
    collectNamed(schema, registry);
  };
  const answers: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { params, query, body, response, streams } = route;
    const errors = errorsOf(route, info.errorStyles, info.validationSchemas);
    for (const schema of [params, query, body, response, streams, ...errors.map((error) => error.body ?? undefined)])
      collect(schema);
    const path = route.path.replace(/:([a-z_]+)/gi, '{$1}');
    const described = operation(route, info, references(errors, answers));
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described };
  }
  const components = named(registry);
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version, description: info.description },
    paths: sorted(paths),
    components: { schemas: sorted(components), responses: sorted(answers), securitySchemes: info.securitySchemes },
  };
}

function references(errors: DocumentedError[], answers: Record<string, Json>): Json {
  for (const { name, meaning, body } of errors) {
    if (answers[name]) continue;
    const content = body && { 'application/json': { schema: schemaOf(body, 'output') } };
    answers[name] = { description: meaning, ...(content ? { content } : {}) };
  }
  return Object.fromEntries(errors.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]));
}

function operation(route: AnyRoute, info: OpenApiInfo, errors: Json): Json {
  const isPublic = route.permission === 'public';
  const surface = route.surface ?? 'standard';
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.tags ? { tags: route.tags } : {}),
    security: isPublic ? [] : info.security[surface].map((scheme) => ({ [scheme]: [] })),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query'), ...headers(route)],
    ...(route.body
      ? { requestBody: { required: !isOptional(route.body), content: requestContent(route, route.body) } }
      : {}),
    responses: route.socket
      ? { 101: { description: 'A WebSocket of JSON messages' }, ...errors }
      : { [route.status ?? 200]: success(route), ...errors },
  };
}

function requestContent({ upload }: AnyRoute, body: z.ZodType): Json {
  const json = { 'application/json': { schema: schemaOf(body, 'input') } };
  if (!upload) return json;
  // Written out: a closed schema that is referred to would forbid the file beside it.
  const fields = shapeOf(body);
  const properties = { ...fields.properties, [upload.part]: BINARY };
  const required = [...(fields.required ?? []), ...(upload.isOptional ? [] : [upload.part])];
  return {
    'multipart/form-data': { schema: { ...fields, properties, required } },
    ...(upload.isOptional && json),
  };
}

function success(route: AnyRoute): Json {
  const description = 'Success';
  const files = Object.fromEntries([route.downloads ?? []].flat().map((type) => [type, { schema: BINARY }]));
  const stream = route.streams ? { 'text/event-stream': { schema: schemaOf(route.streams, 'output') } } : {};
  const whole = route.response ? { 'application/json': { schema: schemaOf(route.response, 'output') } } : {};
  const content = { ...files, ...whole, ...stream };
  return Object.keys(content).length === 0 ? { description } : { description, content };
}

function headers({ creates, resumes }: AnyRoute): Json[] {
  const header = (name: string, schema: Json) => ({ name, in: 'header', required: false, schema });
  return [
    ...(creates ? [header('Idempotency-Key', { type: 'string', minLength: 1, maxLength: 255 })] : []),
    ...(resumes ? [header('Last-Event-ID', { type: 'string' })] : []),
  ];
}

function parameters(schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = shapeOf(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }));
}

/** A schema with an id becomes a component, every use of it a reference. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const id = schema.meta()?.id;
  return typeof id === 'string' ? { $ref: `#/components/schemas/${id}` } : writtenOut(schema, io);
}

function shapeOf(schema: z.ZodType): { properties?: Record<string, Json>; required?: string[] } {
  return writtenOut(schema, 'input');
}

/** The schema itself, also where it is a component. */
function writtenOut(schema: z.ZodType, io: 'input' | 'output'): Json {
  const options = { io, target: 'draft-2020-12', unrepresentable: 'any' } as const;
  const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, options);
  return rewriteRefs($defs[schema.meta()?.id ?? ''] ?? rest);
}

function collectNamed(schema: z.ZodType, registry: z.core.$ZodRegistry<{ id: string }>): void {
  const json = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema }) => {
      const id = z.globalRegistry.get(zodSchema)?.id;
      if (typeof id === 'string' && !registry.has(zodSchema)) registry.add(zodSchema, { id });
    },
  });
  void json;
}

function named(registry: z.core.$ZodRegistry<{ id: string }>): Record<string, Json> {
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [
      id,
      rewriteRefs(schema as Json),
    ]),
  );
}

function rewriteRefs(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

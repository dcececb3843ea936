import { connectorErrors } from './errors.ts';

type Json = Record<string, unknown>;

/** An operation of an HTTP API as a tool. */
export type Operation = {
  name: string;
  title: string | undefined;
  description: string;
  method: string;
  path: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  parameters: { name: string; place: 'path' | 'query' | 'header' }[];
  /** The media type of the body, if the operation takes one. */
  body: string | undefined;
  isReadOnly: boolean;
};

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
const OPERATIONS_MAX = 512;
const DEFINITIONS_MAX = 256;
const DEPTH_MAX = 64;
/** These carry credentials or belong to the connection, and are ours to set. */
const OWN_HEADERS = new Set(['authorization', 'cookie', 'host', 'content-type', 'content-length', 'accept']);

/** The operations of an OpenAPI 3 document. What cannot be called with JSON is left out. */
export function readOpenApi(document: Json): Operation[] {
  if (!/^3\./.test(String(document.openapi ?? '')) || !isRecord(document.paths))
    throw connectorErrors.connector_request_invalid('The document is no OpenAPI 3 description with paths.');
  const operations = new Map<string, Operation>();
  for (const [path, item] of Object.entries(document.paths)) {
    const shared = isRecord(item) ? resolve(document, item) : undefined;
    if (!shared) continue;
    for (const method of METHODS) {
      const given = shared[method];
      if (!isRecord(given) || operations.size >= OPERATIONS_MAX) continue;
      const operation = readOperation(document, shared, given, method, path);
      if (operation && !operations.has(operation.name)) operations.set(operation.name, operation);
    }
  }
  return [...operations.values()];
}

function readOperation(document: Json, shared: Json, given: Json, method: string, path: string): Operation | undefined {
  const properties: Json = {};
  const required: string[] = [];
  const parameters: Operation['parameters'] = [];
  for (const one of [...listOf(shared.parameters), ...listOf(given.parameters)]) {
    const { name, in: place, schema, required: isRequired, description } = resolve(document, one) ?? {};
    if (typeof name !== 'string' || !['path', 'query', 'header'].includes(String(place))) continue;
    if (place === 'header' && OWN_HEADERS.has(name.toLowerCase())) continue;
    if (!(name in properties)) parameters.push({ name, place: place as 'path' | 'query' | 'header' });
    properties[name] = {
      ...(isRecord(schema) ? schema : {}),
      ...(typeof description === 'string' ? { description } : {}),
    };
    if ((isRequired || place === 'path') && !required.includes(name)) required.push(name);
  }
  const request = resolve(document, given.requestBody);
  const content = isRecord(request?.content) ? request.content : undefined;
  const body = content && Object.keys(content).find((type) => /^application\/([\w.-]+\+)?json\b/i.test(type));
  if (content && body === undefined && request?.required) return undefined;
  if (content && body !== undefined) {
    const media = content[body];
    properties.body = isRecord(media) && isRecord(media.schema) ? media.schema : {};
    if (request?.required) required.push('body');
  }
  const $defs: Json = {};
  const schema = rewrite(
    document,
    { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
    $defs,
    0,
  );
  return {
    name: nameOf(given.operationId, method, path),
    title: typeof given.summary === 'string' ? given.summary : undefined,
    description: [given.summary, given.description].filter((text) => typeof text === 'string').join('\n'),
    method: method.toUpperCase(),
    path,
    inputSchema: { ...(schema as Json), type: 'object', ...(Object.keys($defs).length > 0 ? { $defs } : {}) },
    parameters,
    body,
    isReadOnly: method === 'get',
  };
}

/** References to the document's schemas become definitions of the tool's own schema. */
function rewrite(document: Json, value: unknown, $defs: Json, depth: number): unknown {
  if (depth > DEPTH_MAX) return {};
  if (Array.isArray(value)) return value.map((one) => rewrite(document, one, $defs, depth + 1));
  if (!isRecord(value)) return value;
  const [, name] = typeof value.$ref === 'string' ? (/^#\/components\/schemas\/([^/]+)$/.exec(value.$ref) ?? []) : [];
  if (typeof value.$ref === 'string') {
    if (name === undefined || Object.keys($defs).length >= DEFINITIONS_MAX) return {};
    if (!(name in $defs)) {
      $defs[name] = {};
      const found = followPointer(document, value.$ref);
      $defs[name] = rewrite(document, found ?? {}, $defs, depth + 1);
    }
    return { $ref: `#/$defs/${name}` };
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rewrite(document, one, $defs, depth + 1)]));
}

function resolve(document: Json, value: unknown): Json | undefined {
  let found = value;
  for (let depth = 0; isRecord(found) && typeof found.$ref === 'string' && depth < DEPTH_MAX; depth++)
    found = followPointer(document, found.$ref);
  return isRecord(found) ? found : undefined;
}

function followPointer(document: Json, pointer: string): unknown {
  if (!pointer.startsWith('#/')) return undefined;
  const keys = pointer
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>((at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined), document);
}

function nameOf(operationId: unknown, method: string, path: string): string {
  const wanted = typeof operationId === 'string' && operationId !== '' ? operationId : `${method}_${path}`;
  return (
    wanted
      .replace(/[^a-zA-Z0-9_-]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 64) || method
  );
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

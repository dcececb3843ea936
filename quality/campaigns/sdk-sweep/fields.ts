import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { z } from 'zod';
import { documentedRoutes } from '../../../src/app.ts';
import type { AnyRoute } from '../../../src/kit/http/index.ts';
import type { Schema } from '../../../test/contract/json-schema.ts';
import { compareShapes, type Part } from './compare-shapes.ts';
import { ALWAYS_REFUSED, withoutNames } from './operations.ts';
import { type Shape, shapesOfJson, shapesOfZod } from './shapes.ts';
import { PACKAGE } from './surface.ts';

/** What the functions for one operation send and parse, in one SDK. */
type Typed = { operation: string; query: Shape[]; body: Shape[]; responses: Shape[][] };

/** The fields of one operation in both SDKs: `body.…`, `query.…` and `response.…`. */
export type OperationFields = { operation: string; fields: Set<string>; missing: Set<string> };

const READ_PYTHON = fileURLToPath(new URL('./python/fields.py', import.meta.url));

type PythonRow = { operation: string; query: Schema | null; body: Schema | null; responses: Schema[] };

export async function pythonTypes(python: string): Promise<Typed[]> {
  const input = JSON.stringify([...routesByOperation().keys()]);
  const running = promisify(execFile)(python, ['-B', READ_PYTHON], { maxBuffer: 2 ** 26 });
  running.child.stdin?.end(input);
  const { stdout: printed } = await running;
  const read = (schema: Schema | null) => (schema ? shapesOfJson(schema, schema.$defs ?? {}) : []);
  return (JSON.parse(printed) as PythonRow[]).map(({ operation, query, body, responses }) => ({
    operation,
    query: read(query),
    body: read(body),
    responses: responses.map(read),
  }));
}

type Module = Record<string, z.core.$ZodType>;

/** From the source of each function that sends: which schemas it uses, and which fields go where. */
export async function typescriptTypes(): Promise<Typed[]> {
  const models: Module = {};
  for (const part of ['components', 'operations'])
    Object.assign(models, await import(join(PACKAGE, 'esm', 'models', part, 'index.js')));
  const dir = join(PACKAGE, 'esm', 'funcs');
  return readdirSync(dir)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFunction(readFileSync(join(dir, file), 'utf8'), models));
}

function readFunction(source: string, models: Module): Typed {
  const path = /pathToFunc\(\s*"([^"#]+)/.exec(source)?.[1];
  const method = /method: "(\w+)"/.exec(source)?.[1];
  const sent = /\.(\w+\$outboundSchema)\b/.exec(source)?.[1];
  const request = sent && models[sent] ? shapesOfZod(models[sent], 'outbound') : [];
  const inner = /encodeJSON\("body", payload\??\.(\w+)/.exec(source)?.[1];
  const isBody = /encodeJSON\("body"|appendForm\(body/.test(source);
  const query = [...(/encodeFormQuery\(\{([^}]*)\}/.exec(source)?.[1] ?? '').matchAll(/"([^"]+)":/g)];
  const answers = source.slice(source.indexOf('M.match('));
  const parsed = answers.matchAll(/(z\.array\()?(?:components|operations)\.(\w+\$inboundSchema)/g);
  const responses = [...parsed].flatMap(([, list, name = '']): Shape[][] => {
    if (!models[name]) return [];
    const shapes = unwrapPages(shapesOfZod(models[name], 'input'));
    return [list ? [{ kind: 'list', item: () => shapes }] : shapes];
  });
  return {
    operation: `${method} ${path}`,
    query: [{ kind: 'object', fields: new Map(query.map(([, name = '']) => [name, childOf(request, name)])) }],
    body: !isBody ? [] : inner ? childOf(request, inner)() : request,
    responses,
  };
}

/** Functions that read page by page parse the response as `Result`. */
function unwrapPages(shapes: Shape[]): Shape[] {
  const result = childOf(shapes, 'Result')();
  return result.length > 0 ? result : shapes;
}

function childOf(shapes: Shape[], name: string): () => Shape[] {
  return () => shapes.flatMap((shape) => (shape.kind === 'object' ? (shape.fields.get(name)?.() ?? []) : []));
}

/** Those that respond with anything but a fixed refusal. */
function routesByOperation(): Map<string, AnyRoute> {
  const routes = documentedRoutes().map((route) => [withoutNames(`${route.method} ${route.path}`), route] as const);
  return new Map(routes.filter(([operation]) => !ALWAYS_REFUSED.has(operation)));
}

/** Compares what both SDKs type with the schemas of our routes, for every operation that is served. */
export function compareFields(typed: Typed[]): OperationFields[] {
  const routes = routesByOperation();
  const rows = new Map<string, OperationFields>();
  for (const { operation, query, body, responses } of typed) {
    const key = withoutNames(operation);
    const route = routes.get(key);
    if (!route) continue;
    const row = rows.get(key) ?? { operation, fields: new Set(), missing: new Set() };
    rows.set(key, row);
    add(row, 'query', compareShapes('query', query, input(route.query)));
    if (body.length > 0) add(row, 'body', compareShapes('body', body, bodyOf(route)));
    for (const response of responses) add(row, 'response', compareShapes('response', response, answersOf(route)));
  }
  return [...rows.values()];
}

function add(row: OperationFields, part: Part, { fields, missing }: ReturnType<typeof compareShapes>): void {
  for (const name of fields) row.fields.add(`${part}.${name}`);
  for (const name of missing) row.missing.add(`${part}.${name}`);
}

function input(schema: z.ZodType | undefined): Shape[] {
  return schema ? shapesOfZod(schema, 'input') : [{ kind: 'object', fields: new Map() }];
}

function bodyOf({ body, upload }: AnyRoute): Shape[] {
  const shapes = input(body);
  if (upload)
    for (const shape of shapes) if (shape.kind === 'object') shape.fields.set(upload.part, () => [{ kind: 'any' }]);
  return shapes;
}

/** A stream's events are what a function parses as well as a whole response. */
function answersOf({ response, streams, downloads }: AnyRoute): Shape[] {
  if (downloads && !response) return [{ kind: 'any' }];
  return [response, streams].flatMap((schema) => (schema ? shapesOfZod(schema, 'output') : []));
}

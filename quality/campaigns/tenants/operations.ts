import { documentedRoutes, openApiOf } from '../../../src/app.ts';
import type { AnyRoute } from '../../../src/kit/http/index.ts';

/** The part of a JSON schema that is read here. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  minLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
};

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
export type Operation = {
  id: string;
  route: AnyRoute;
  parameters: Parameter[];
  body: Schema | undefined;
  isUpload: boolean;
};

type Described = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Document = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

/** Every operation of the route table, also those that the public document leaves out. */
export function listOperations(): { operations: Operation[]; resolve: (schema: Schema) => Schema } {
  const routes = documentedRoutes().map((route) => ({ ...route, hidden: false }));
  const document = openApiOf(routes) as Document;
  const described = new Map(
    Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => [one.operationId, one])),
  );
  const operations = routes.map((route) => {
    const one = described.get(route.operationId);
    if (!one) throw new Error(`${route.operationId} is not described.`);
    const [content] = Object.values(one.requestBody?.content ?? {});
    const isUpload = route.upload !== undefined;
    return { id: route.operationId, route, parameters: one.parameters ?? [], body: content?.schema, isUpload };
  });
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    return name ? resolve(document.components.schemas[name] ?? {}) : schema;
  };
  return { operations, resolve };
}

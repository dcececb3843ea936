import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { InvalidPayload } from './errors.ts';
import type { Json } from './protocol.ts';

/** The structure of Zod 4 schemas: a project may have its own copy of Zod. */
export type ZodLike<In = unknown, Out = unknown> = {
  readonly '~standard': {
    readonly vendor: string;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
    readonly validate: (value: unknown) => Validated<Out> | Promise<Validated<Out>>;
  };
};
type Issue = { readonly message: string; readonly path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined };
type Validated<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly value?: undefined };

export type JsonSchema = { readonly [key: string]: unknown };

/** A Zod 4 schema, or a JSON Schema (2020-12) as a plain object. */
// biome-ignore lint/suspicious/noExplicitAny: a schema of anything; `unknown` would refuse schemas of something.
export type Schema = ZodLike<any, any> | JsonSchema;

/** Input of the caller, and output after defaults and transforms. */
export type InputOf<S> = S extends ZodLike<infer In, unknown> ? In : unknown;
export type OutputOf<S> = S extends ZodLike<unknown, infer Out> ? Out : unknown;

/** Parses a value, or throws an error that lists all mistakes. `what` begins the message. */
export type Reader = (value: unknown, what: string) => unknown;

const readers = new WeakMap<object, Reader>();
const ajv = new Ajv({ strict: false, allErrors: true });

export function readerOf(schema: Schema | undefined): Reader {
  if (schema === undefined) return (value) => value;
  const known = readers.get(schema);
  if (known) return known;
  const reader = isZod(schema) ? readWithZod(schema) : readWithAjv(schema);
  readers.set(schema, reader);
  return reader;
}

/** `io`: the schema of the input, or of the output. */
export function toJsonSchema(schema: Schema | undefined, io: 'input' | 'output' = 'input'): { [key: string]: Json } {
  if (schema === undefined) return {};
  const plain = isZod(schema) ? z.toJSONSchema(schema as unknown as z.ZodType, { io, unrepresentable: 'any' }) : schema;
  const { '~standard': _standard, ...rest } = JSON.parse(JSON.stringify(plain)) as { [key: string]: Json };
  return rest;
}

function isZod(schema: Schema): schema is ZodLike {
  return '~standard' in schema;
}

function readWithZod(schema: ZodLike): Reader {
  return (value, what) => {
    const result = schema['~standard'].validate(value);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      throw new InvalidPayload(`${what} has a schema that checks asynchronously, which a workflow cannot wait for.`);
    }
    if (result.issues === undefined) return result.value;
    throw refuse(
      what,
      result.issues.map(({ path = [], message }) => ({
        place: path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
        message,
      })),
    );
  };
}

function readWithAjv(schema: JsonSchema): Reader {
  let validate: ValidateFunction | undefined;
  return (value, what) => {
    // Compiled on first use: most schemas are only sent to the server.
    validate ??= ajv.compile(schema);
    if (validate(value)) return value;
    throw refuse(
      what,
      (validate.errors ?? []).map(({ instancePath, message = 'is wrong' }) => ({
        place: instancePath.slice(1).replaceAll('/', '.'),
        message,
      })),
    );
  };
}

function refuse(what: string, issues: { place: string; message: string }[]): InvalidPayload {
  const words = issues.map(({ place, message }) => (place ? `${place}: ${message}` : message)).join('; ');
  return new InvalidPayload(`${what} does not fit its schema: ${words}`);
}

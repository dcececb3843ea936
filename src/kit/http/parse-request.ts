import { z } from 'zod';
import { boundLists } from './bound-lists.ts';
import { ValidationFailed, type ValidationItem } from './errors.ts';
import type { Multipart, Upload } from './multipart.ts';
import type { AnyRoute } from './route.ts';
import { toValidationItems } from './validation-errors.ts';

/** A route that names no query parameters takes none. */
const NO_QUERY = z.strictObject({});

type Given = { params: unknown; query: unknown; body?: unknown };

export type Parsed = { params: unknown; query: unknown; body: unknown; upload: Upload | undefined };

/** Parses path, query and body. All three are parsed before any is refused, so a client sees every mistake at once. */
export function parseRequest(route: AnyRoute, request: Given, multipart?: Multipart): Parsed {
  const failures: ValidationItem[] = [];
  const given = multipart ? multipart.fields : request.body;
  const parsed: Parsed = {
    params: read(route.params, 'path', request.params, failures),
    query: route.query || hasKeys(request.query) ? read(route.query ?? NO_QUERY, 'query', request.query, failures) : {},
    body: undefined,
    upload: multipart?.upload,
  };
  if (route.rawBody) {
    parsed.body = request.body;
  } else if (route.body && given === undefined) {
    if (!isOptional(route.body)) failures.push({ type: 'missing', loc: ['body'], msg: 'Field required', input: null });
  } else if (route.body) {
    parsed.body = read(route.body, 'body', given, failures);
  }
  failures.push(...(multipart?.mistakes ?? []));
  if (failures.length > 0) throw new ValidationFailed(failures);
  return parsed;
}

function read(
  schema: z.ZodType | undefined,
  where: 'path' | 'query' | 'body',
  input: unknown,
  failures: ValidationItem[],
): unknown {
  if (!schema) return input;
  boundLists(schema);
  // Fast path: only a request with a mistake is parsed again to list all of them.
  const first = schema.safeParse(input, FIRST_MISTAKE);
  if (first.success) return first.data;
  const result = isSmall(input) ? schema.safeParse(input) : first;
  if (result.success) return result.data;
  failures.push(...toValidationItems(result.error, where, input, schema));
  return undefined;
}

/** Zod's option to stop a list or an object at its first mistake. */
const FIRST_MISTAKE = { abortEarly: true } as z.core.ParseContext<z.core.$ZodIssue>;

const SMALL_VALUES_MAX = 1000;

/** A mistake costs a hundred times its bytes, so a huge body gets only its first mistakes listed. */
function isSmall(input: unknown): boolean {
  const open = [input];
  let values = 1;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const key in value) {
      if (++values > SMALL_VALUES_MAX) return false;
      const child = (value as Record<string, unknown>)[key];
      if (typeof child === 'object' && child !== null) open.push(child);
    }
  }
  return true;
}

/** Whether the body is optional. */
export function isOptional(body: z.ZodType): boolean {
  return body.safeParse(undefined).success;
}

function hasKeys(query: unknown): boolean {
  for (const _ in query as object) return true;
  return false;
}

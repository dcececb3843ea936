import { z } from 'zod';
import { ValidationFailed, type ValidationItem } from './errors.ts';
import type { Multipart, Upload } from './multipart.ts';
import type { AnyRoute } from './route.ts';
import { toValidationItems } from './validation-errors.ts';

/** A route that names no query parameters takes none. */
const NO_QUERY = z.strictObject({});

type Given = { params: unknown; query: unknown; body?: unknown };

export type Parsed = { params: unknown; query: unknown; body: unknown; upload: Upload | undefined };

/** Path, query and body by their schemas. All three are read before any is refused, so a client sees every mistake at once. */
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
  let result: z.ZodSafeParseResult<unknown>;
  try {
    result = schema.safeParse(input);
  } catch (error) {
    // Zod gathers issues with spread calls, which overflow when a list holds hundreds of thousands of mistakes.
    if (!(error instanceof RangeError)) throw error;
    failures.push({ type: 'value_error', loc: [where], msg: 'Value error, there are too many mistakes to list' });
    return undefined;
  }
  if (result.success) return result.data;
  failures.push(...toValidationItems(result.error, where, input, schema));
  return undefined;
}

/** Whether a request may leave its body away. */
export function isOptional(body: z.ZodType): boolean {
  return body.safeParse(undefined).success;
}

function hasKeys(query: unknown): boolean {
  for (const _ in query as object) return true;
  return false;
}

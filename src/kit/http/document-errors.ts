import { z } from 'zod';
import { type ErrorStyle, type ErrorStyles, styleOf } from './error-bodies.ts';
import type { AnyRoute } from './route.ts';

type Shape = ErrorStyle['shape'];

const MEANINGS: Record<number, string> = {
  202: 'Taken; there is nothing to say',
  304: 'The state that If-None-Match names is still the newest',
  400: 'The request makes no sense although its form is right',
  401: 'No key, or one that does not open this address',
  403: 'The key may not do this, or the host is not one of ours',
  404: 'Not there, or not visible to this key',
  406: 'The client does not accept what the answer would be',
  408: 'The request took too long to arrive',
  409: 'The state of what is named is against it',
  410: 'It was there, and has expired',
  412: 'Somebody has changed the state that If-Match names',
  413: 'The body is larger than this address takes',
  415: 'The body has another media type, or is compressed',
  422: 'Validation error',
  429: 'A limit is used up; Retry-After says when to come back',
  500: 'A mistake of the server',
  502: 'Another server that was needed gave no answer that can be used',
  503: 'Not now; Retry-After says when to come back',
  504: 'It was not done in time',
  507: 'The disk of the server is full, and nothing was written',
};

const Detail = z.object({ detail: z.string() }).meta({ id: 'ErrorDetail' });

/** The body of an error in each style, as `error-bodies.ts` writes it. */
const bodies: Record<Shape, z.ZodType> = {
  detail: Detail,
  object: z
    .object({
      object: z.literal('error'),
      message: z.string(),
      type: z.string(),
      param: z.null(),
      code: z.string().nullable(),
    })
    .meta({ id: 'ErrorObject' }),
  coded: z.object({ detail: z.string(), code: z.string().nullable() }).meta({ id: 'ErrorWithCode' }),
};

export type DocumentedError = { status: number; name: string; meaning: string; body: z.ZodType | null };

/** Every error response of a route: those of its kind, and those it declares. */
export function errorsOf(route: AnyRoute, styles: ErrorStyles, validation: z.ZodType): DocumentedError[] {
  const { shape } = styleOf(styles, route.path);
  const own = new Map(
    (route.alsoAnswers ?? []).map((other) => (typeof other === 'number' ? [other, undefined] : other)),
  );
  const statuses = [...new Set([...statusesOf(route), ...own.keys()])].sort((a, b) => a - b);
  return statuses.map((status) => {
    const usual = status === 401 ? Detail : status === 422 ? validation : bodies[shape];
    const special = own.get(status);
    const meaning = MEANINGS[status] ?? 'Error';
    if (special === null) return { status, name: `Empty${status}`, meaning, body: null };
    // Responses are identified by status and body, and appear once in the document.
    const name = `${(special ?? usual).meta()?.id}${status}`;
    return { status, name, meaning, body: special ? z.union([usual, special]) : usual };
  });
}

function statusesOf({ permission, params, query, body, method, upload }: AnyRoute): number[] {
  return [
    ...[400, 403, 422, 429, 500, 503],
    ...(permission === 'public' ? [] : [401]),
    ...(params || query || body ? [404] : []),
    ...(method === 'GET' ? [] : [409, 507]),
    ...(body || upload ? [408, 413, 415] : []),
  ];
}

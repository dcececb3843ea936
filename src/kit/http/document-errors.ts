import { z } from 'zod';
import { type ErrorStyle, type ErrorStyles, styleOf } from './error-bodies.ts';
import type { AnyRoute } from './route.ts';

type Shape = Exclude<ErrorStyle['shape'], 'own'>;

const MEANINGS: Record<number, string> = {
  202: 'Accepted; the response has no body',
  304: 'Not modified: If-None-Match names the current state',
  400: 'The request is well formed but cannot be processed',
  401: 'The key is missing or not valid here',
  403: 'The key lacks a permission, or the host is not allowed',
  404: 'Not found, or not visible to this key',
  406: 'The client does not accept the media type of the response',
  408: 'The request took too long to arrive',
  409: 'The current state does not allow it',
  410: 'It has expired',
  412: 'The state that If-Match names has changed',
  413: 'The body is too large',
  415: 'The media type is not supported, or the body is compressed',
  422: 'Validation error',
  426: 'The path is a WebSocket',
  429: 'A rate limit or budget is used up; see Retry-After',
  500: 'Internal server error',
  502: 'An upstream server failed or gave an unusable response',
  503: 'Temporarily unavailable; see Retry-After',
  504: 'Timed out',
  507: 'The disk of the server is full; nothing was written',
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

/** The body of a 422, without and with the fields of the other errors. */
export type ValidationSchemas = { plain: z.ZodType; explained: z.ZodType };

export type DocumentedError = { status: number; name: string; meaning: string; body: z.ZodType | null };

/** Every error response of a route: those of its kind, and those it declares. */
export function errorsOf(route: AnyRoute, styles: ErrorStyles, schemas: ValidationSchemas): DocumentedError[] {
  const { shape, explainsValidation, own: ownStyle } = styleOf(styles, route.path);
  const validation = explainsValidation ? schemas.explained : schemas.plain;
  const own = new Map(
    (route.alsoAnswers ?? []).map((other) => (typeof other === 'number' ? [other, undefined] : other)),
  );
  const statuses = [...documentedStatuses(route)].sort((a, b) => a - b);
  return statuses.map((status) => {
    const usual = ownStyle?.schema ?? (status === 401 ? Detail : status === 422 ? validation : bodies[shape as Shape]);
    const special = own.get(status);
    const meaning = MEANINGS[status] ?? (status < 300 ? 'OK' : 'Error');
    if (special === null) return { status, name: `Empty${status}`, meaning, body: null };
    // Responses are identified by status and body, and appear once in the document.
    const nameOf = (...schemas: z.ZodType[]) => `${schemas.map((schema) => schema.meta()?.id).join('Or')}${status}`;
    if (!special) return { status, name: nameOf(usual), meaning, body: usual };
    if (status < 300) return { status, name: nameOf(special), meaning, body: special };
    return { status, name: nameOf(usual, special), meaning, body: z.union([usual, special]) };
  });
}

/** The statuses of all errors that the document lists for the route. */
export function documentedStatuses(route: AnyRoute): Set<number> {
  const own = (route.alsoAnswers ?? []).map((other) => (typeof other === 'number' ? other : other[0]));
  return new Set([...statusesOf(route), ...own]);
}

function statusesOf({ permission, params, query, body, method, upload, socket }: AnyRoute): number[] {
  return [
    ...[400, 403, 422, 429, 500, 503],
    ...(permission === 'public' ? [] : [401]),
    ...(params || query || body ? [404] : []),
    ...(socket ? [426] : []),
    ...(method === 'GET' ? [] : [409, 507]),
    ...(body || upload ? [408, 413, 415] : []),
  ];
}

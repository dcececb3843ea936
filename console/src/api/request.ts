import { ApiError, readError } from './api-error.ts';

export type QueryValue = string | number | boolean | undefined | null | readonly (string | number)[];
export type RequestOptions = { query?: Record<string, QueryValue>; signal?: AbortSignal; headers?: HeadersInit };

/** What each request carries beside the cookie; session.ts keeps it. */
export const credentials: { csrfToken: string | undefined; workspaceId: string | undefined } = {
  csrfToken: undefined,
  workspaceId: undefined,
};

let whenRefused: (() => void) | undefined;

/** Called for each 401 that an endpoint other than the session's own gave: the session may have ended. */
export function onUnauthorized(listener: () => void): void {
  whenRefused = listener;
}

/** Sends one request with the session and gives the answer, if it is a good one; else throws an ApiError. */
export async function request(
  method: string,
  path: string,
  body: unknown,
  options: RequestOptions = {},
): Promise<Response> {
  const headers = new Headers(options.headers);
  if (credentials.workspaceId) headers.set('x-tramontane-workspace', credentials.workspaceId);
  if (method !== 'GET' && credentials.csrfToken) headers.set('x-csrf-token', credentials.csrfToken);
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers.set('content-type', 'application/json');
  let response: Response;
  try {
    response = await fetch(path + queryString(options.query), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, 'The server cannot be reached.');
  }
  if (response.ok) return response;
  const failure = await readError(response);
  if (failure.status === 401 && !isAboutSession(path)) whenRefused?.();
  throw failure;
}

/** There 401 is an answer and not a surprise: nobody is signed in, or the password is wrong. */
function isAboutSession(path: string): boolean {
  return /^\/console\/api\/(session|links)\b/.test(path);
}

function queryString(query: RequestOptions['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null || value === '') continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  return search.size > 0 ? `?${search}` : '';
}

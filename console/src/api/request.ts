import { ApiError, readError } from './api-error.ts';
import { noteResponse, noteSilence } from './reachability.ts';

export type QueryValue = string | number | boolean | undefined | null | readonly (string | number)[];
export type RequestOptions = { query?: Record<string, QueryValue>; signal?: AbortSignal; headers?: HeadersInit };

/** Headers sent with each request beside the cookie; set by session.ts. */
export const credentials: { csrfToken: string | undefined; workspaceId: string | undefined } = {
  csrfToken: undefined,
  workspaceId: undefined,
};

let unauthorizedListener: (() => void) | undefined;

/** Called on a 401 from any endpoint but the session's own: the session may have ended. */
export function onUnauthorized(listener: () => void): void {
  unauthorizedListener = listener;
}

/** Sends a request with the session; throws an ApiError unless the response is successful. */
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
    noteSilence();
    throw new ApiError(0, 'The server cannot be reached.');
  }
  noteResponse();
  if (response.ok) return response;
  const failure = await readError(response);
  if (failure.status === 401 && !isAboutSession(path)) unauthorizedListener?.();
  throw failure;
}

/** Here a 401 is expected: no session, or a wrong password. */
function isAboutSession(path: string): boolean {
  return /^\/console\/api\/(session|links|sign-in)\b/.test(path);
}

function queryString(query: RequestOptions['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null || value === '') continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  return search.size > 0 ? `?${search}` : '';
}

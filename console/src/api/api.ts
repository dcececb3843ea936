import { type RequestOptions, request } from './request.ts';

export { ApiError } from './api-error.ts';

/** The public API and the console's own endpoints, as the signed-in user in the chosen workspace. */
export const api = {
  get: <T>(path: string, options?: RequestOptions) => json<T>('GET', path, undefined, options),
  post: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('POST', path, body, options),
  put: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('PUT', path, body, options),
  patch: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('PATCH', path, body, options),
  delete: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('DELETE', path, body, options),
  /** The raw response, for audio, files and exports. */
  raw: request,
};

async function json<T>(method: string, path: string, body: unknown, options?: RequestOptions): Promise<T> {
  const response = await request(method, path, body, options);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

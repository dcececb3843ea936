import { Pool } from 'undici';

/** The server rejected the request. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, code: string | undefined, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** No response, or one that may succeed later. */
export class Unreachable extends Error {}

export type Api = {
  readonly url: string;
  readonly apiKey: string;
  /** `body` is JSON text. `waitMs` is the time of a long poll. */
  post<T>(path: string, body: string, options?: { waitMs?: number; signal?: AbortSignal }): Promise<Sized<T>>;
  get<T>(path: string): Promise<Sized<T>>;
  close(): Promise<void>;
};

/** A response and its length in characters, from which the cache estimates the size of a history. */
export type Sized<T> = { data: T; characters: number };

const ANSWER_MS = 30_000;

export function createApi({ url, apiKey }: { url: string; apiKey: string }): Api {
  const base = new URL(url);
  const prefix = base.pathname.replace(/\/+$/, '');
  const pool = new Pool(base.origin, { connections: 8, keepAliveTimeout: 30_000, connectTimeout: 5000 });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };

  async function call<T>(
    method: 'GET' | 'POST',
    path: string,
    body: string | null,
    { waitMs = 0, signal }: { waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<Sized<T>> {
    let status: number;
    let text: string;
    try {
      const response = await pool.request({
        method,
        path: prefix + path,
        headers,
        body,
        headersTimeout: waitMs + ANSWER_MS,
        bodyTimeout: ANSWER_MS,
        ...(signal ? { signal } : {}),
      });
      status = response.statusCode;
      text = await response.body.text();
    } catch (error) {
      throw new Unreachable(`No answer from ${url}: ${(error as Error).message}`, { cause: error });
    }
    if (status < 300) return { data: (text === '' ? undefined : JSON.parse(text)) as T, characters: text.length };
    if (status >= 500 || status === 429 || status === 408)
      throw new Unreachable(`${url} answered ${status} to ${path}: ${text.slice(0, 500)}`);
    const { detail, code } = readRefusal(text);
    throw new Refused(status, code, `The server refused ${path} (${status}): ${detail}`);
  }

  return {
    url: url.replace(/\/+$/, ''),
    apiKey,
    post: (path, body, options) => call('POST', path, body, options),
    get: (path) => call('GET', path, null),
    close: () => pool.destroy(),
  };
}

function readRefusal(text: string): { detail: string; code: string | undefined } {
  try {
    const { detail, code } = JSON.parse(text) as { detail?: unknown; code?: string };
    return { detail: typeof detail === 'string' ? detail : JSON.stringify(detail ?? text), code };
  } catch {
    return { detail: text.slice(0, 500), code: undefined };
  }
}

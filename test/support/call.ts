import type { TestServer } from './server.ts';

export type Answer = { status: number; headers: Headers; body: unknown; text: string };

type CallOptions = {
  method?: string;
  key?: string | undefined;
  headers?: Record<string, string>;
  body?: unknown;
  raw?: string | Uint8Array;
};

/** One request over the wire; `body` is sent as JSON, `raw` as it is. */
export async function call(
  server: Pick<TestServer, 'url' | 'key'>,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { key = server.key, body, raw } = options;
  const hasBody = body !== undefined || raw !== undefined;
  const response = await fetch(`${server.url}${path}`, {
    method: options.method ?? (hasBody ? 'POST' : 'GET'),
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...options.headers,
    },
    ...(hasBody ? { body: raw === undefined ? JSON.stringify(body) : (raw as string) } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

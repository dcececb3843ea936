import type { Answer } from './call.ts';
import { call } from './call.ts';
import type { TestServer } from './server.ts';

type Rpc = {
  jsonrpc: string;
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};

export const ACCEPT = 'application/json, text/event-stream';

type Options = { key?: string | undefined; headers?: Record<string, string>; raw?: string };

/** One POST of JSON-RPC as a client of the 2025 protocol sends it. */
export async function post(
  server: Pick<TestServer, 'url' | 'key'>,
  message: unknown,
  { headers, ...options }: Options = {},
): Promise<Answer & { rpc: Rpc | undefined }> {
  const answer = await call(server, '/mcp', { body: message, headers: { accept: ACCEPT, ...headers }, ...options });
  return { ...answer, rpc: lastMessage(answer) };
}

/** Sends a request and returns the messages of the stream. */
export function request(
  server: Pick<TestServer, 'url' | 'key'>,
  method: string,
  params?: Record<string, unknown>,
  options?: Options,
): Promise<Answer & { rpc: Rpc | undefined }> {
  return post(server, { jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) }, options);
}

function lastMessage({ headers, text, body }: Answer): Rpc | undefined {
  if (!headers.get('content-type')?.startsWith('text/event-stream')) return body as Rpc | undefined;
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return data.length === 0 ? undefined : (JSON.parse(data.at(-1)?.slice(6) ?? '') as Rpc);
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type TrustUpstream = { url: string; place: string; seen: Seen[]; close(): Promise<void> };
export type Seen = { method: string; path: string; headers: IncomingMessage['headers']; text: string };
/** Responds itself and returns `true`; otherwise the response is an ordinary completion. */
export type Script = (seen: Seen, response: ServerResponse) => boolean;

/** A model server at the border: it responds in the shape of OpenAI's API, and records its requests. */
export async function serveUpstream(script: Script = () => false): Promise<TrustUpstream> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, text: Buffer.concat(chunks).toString() };
      seen.push(one);
      if (!script(one, response)) answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${place}/v1`,
    place,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer({ text }: Seen, response: ServerResponse): void {
  const usage = { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 };
  const message = { role: 'assistant', content: 'Hello' };
  if (!/"stream":\s*true/.test(text))
    return void json(response, 200, { id: '1', choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const delta = { content: 'Hello' };
  for (const part of [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ])
    response.write(`data: ${JSON.stringify(part)}\n\n`);
  response.end('data: [DONE]\n\n');
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../../test/support/cleanup.ts';

/** What becomes of a request: it gets through, is lost on its way, or its answer is. */
export type Fate = 'passes' | 'request lost' | 'answer lost' | 'refused with 503';

/** A network that loses things, or is slow: between a worker and its server. */
export async function startFlakyProxy(
  target: string,
  fateOf: (path: string, body: string) => Fate | Promise<Fate>,
  beforeAnswer: (path: string) => Promise<void> | undefined = () => undefined,
): Promise<string> {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fate = await fateOf(path, Buffer.concat(chunks).toString());
    if (fate === 'request lost') return void request.socket.destroy();
    if (fate === 'refused with 503') return void response.writeHead(503).end('{"detail":"stopping"}');
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const answer = await fetch(`${target}${path}`, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      signal: leaving.signal,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const text = await answer.text();
    await beforeAnswer(path);
    if (fate === 'answer lost') return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

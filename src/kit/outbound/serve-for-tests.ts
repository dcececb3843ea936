import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { createOutbound, type OutboundOptions } from './index.ts';

// What the tests of this folder share: real servers on 127.0.0.1 and an outbound, all closed after each test.
export function open(options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({ allow: [], ...options });
  onTestFinished(() => outbound.close());
  return outbound;
}

const sayHello: RequestListener = (_request, response) => response.end('hello');

export async function serve(listener = sayHello, host = '127.0.0.1') {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}`, connections: () => connections };
}

/** A DNS server that gives one answer after the other, the last one forever. */
export function answering(...answers: string[][]) {
  const asked: string[] = [];
  const lookup = async (hostname: string) => {
    asked.push(hostname);
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  };
  return { lookup, asked };
}

export async function readRequest(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function closed(server: Server): Promise<unknown> {
  return new Promise((resolve) => {
    server.once('connection', (socket) => socket.once('close', resolve));
  });
}

export const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('the request was let through'),
    (error) => error,
  );
